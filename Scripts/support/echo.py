"""An echo over TLS: what comes of a request's body goes back while the rest is still to come.

HTTP/2 where the client speaks it, else HTTP/1.1, once for each connection. No more is read than is sent back.

echo.py PORT CERTIFICATE KEY
"""

import asyncio
import collections
import ssl
import sys

import h2.config
import h2.connection
import h2.events
import h2.settings


class Echo(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        if transport.get_extra_info("ssl_object").selected_alpn_protocol() == "h2":
            self.way = HTTP2(transport)
        else:
            self.way = HTTP1(transport)

    def data_received(self, data):
        self.way.received(data)

    def pause_writing(self):
        self.way.pause()

    def resume_writing(self):
        self.way.resume()


class HTTP1:
    """The bytes behind the head go back as they are: chunks are chunks in both directions."""

    def __init__(self, transport):
        self.transport = transport
        self.head = b""
        self.is_answered = False

    def received(self, data):
        if not self.is_answered:
            self.head += data
            head, end, data = self.head.partition(b"\r\n\r\n")
            if not end:
                return
            self.is_answered = True
            lines = head.split(b"\r\n")
            framing = next(line for line in lines if line.lower().startswith((b"transfer-encoding:", b"content-length:")))
            self.transport.write(b"HTTP/1.1 200 OK\r\nX-Way: http/1.1\r\nConnection: close\r\n" + framing + b"\r\n\r\n")
        self.transport.write(data)

    def pause(self):
        self.transport.pause_reading()

    def resume(self):
        self.transport.resume_reading()


class HTTP2:
    """What has been read is acknowledged when it has been sent back, so that the client's window is all that is held."""

    WINDOW = 1 << 20

    def __init__(self, transport):
        self.transport = transport
        self.is_paused = False
        self.waiting = {}
        self.ended = set()
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding=None))
        self.h2.local_settings = h2.settings.Settings(
            client=False, initial_values={h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: self.WINDOW}
        )
        self.h2.initiate_connection()
        self.h2.increment_flow_control_window(self.WINDOW)
        self.flush()

    def received(self, data):
        for event in self.h2.receive_data(data):
            stream = getattr(event, "stream_id", None)
            if isinstance(event, h2.events.RequestReceived):
                self.waiting[stream] = collections.deque()
                self.h2.send_headers(stream, [(b":status", b"200"), (b"x-way", b"h2")])
            elif isinstance(event, h2.events.DataReceived) and stream in self.waiting:
                self.waiting[stream].append((event.data, event.flow_controlled_length))
            elif isinstance(event, h2.events.StreamEnded):
                self.ended.add(stream)
            elif isinstance(event, h2.events.StreamReset):
                self.waiting.pop(stream, None)
        self.send()

    def send(self):
        for stream, pieces in list(self.waiting.items()):
            while pieces and not self.is_paused:
                data, count = pieces[0]
                room = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
                if room <= 0:
                    break
                if len(data) > room:
                    self.h2.send_data(stream, data[:room])
                    pieces[0] = (data[room:], count)
                else:
                    self.h2.send_data(stream, data)
                    self.h2.acknowledge_received_data(count, stream)
                    pieces.popleft()
                self.flush()
            if stream in self.ended and not pieces:
                self.h2.end_stream(stream)
                del self.waiting[stream]
        self.flush()

    def flush(self):
        if data := self.h2.data_to_send():
            self.transport.write(data)

    def pause(self):
        self.is_paused = True

    def resume(self):
        self.is_paused = False
        self.send()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    context.set_alpn_protocols(["h2", "http/1.1"])
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", int(sys.argv[1]), ssl=context)
    await server.serve_forever()


asyncio.run(main())
