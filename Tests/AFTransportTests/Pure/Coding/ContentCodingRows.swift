// Made with Python's zlib, with libbrotlienc and with the tool zstd: none of it is decoded here by what coded it.
extension ContentCodingTests {
  static let rows: [Row] = [
    Row("no field", [], "48656c6c6f20576f726c6421", .plain),
    Row("an empty field", [""], "48656c6c6f20576f726c6421", .plain),
    Row("identity", ["identity"], "48656c6c6f20576f726c6421", .plain),
    Row("IDENTITY", ["IDENTITY"], "48656c6c6f20576f726c6421", .plain),
    Row("nothing but commas", [", ,"], "48656c6c6f20576f726c6421", .plain),
    Row("identity twice", ["identity, identity"], "48656c6c6f20576f726c6421", .plain),
    Row(
      "not understood: compress", ["compress"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .asItIs),
    Row(
      "not understood: x-compress", ["x-compress"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .asItIs),
    Row("not understood: none", ["none"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row(
      "not understood: utf-8", ["utf-8"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row(
      "not understood: gzip;q=1", ["gzip;q=1"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .asItIs),
    Row(
      "not understood: 'gzip'", ["\"gzip\""], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .asItIs),
    Row(
      "not understood: gzip gzip", ["gzip gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .asItIs),
    Row(
      "not understood: aws-chunked", ["aws-chunked"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row("not understood: dcb", ["dcb"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row(
      "not understood: gzip, compress", ["gzip, compress"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row(
      "not understood: compress, gzip", ["compress, gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row(
      "one of two fields is not understood", ["gzip", "pack200-gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .asItIs),
    Row("one coding: gzip", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: GZIP", ["GZIP"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: Gzip", ["Gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: x-gzip", ["x-gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: X-GZIP", ["X-GZIP"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding:  gzip ", [" gzip "], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row(
      "one coding: \tgzip\t", ["\tgzip\t"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: gzip,", ["gzip,"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: ,gzip", [",gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("one coding: gzip , ", ["gzip , "], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row(
      "one coding: gzip, identity", ["gzip, identity"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row(
      "one coding: identity, gzip", ["identity, gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row(
      "one coding: identity,gzip,identity", ["identity,gzip,identity"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row(
      "an empty field, then gzip", ["", "gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .plain),
    Row(
      "identity, then gzip, in two fields", ["identity", "gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain),
    Row("deflate", ["deflate"], "789cf348cdc9c95708cf2fca495104001c49043e", .plain),
    Row("DEFLATE", ["DEFLATE"], "789cf348cdc9c95708cf2fca495104001c49043e", .plain),
    Row(
      "gzip twice", ["gzip, gzip"],
      "1f8b080000000000020393efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c00378bf8d020000000", .plain),
    Row(
      "gzip twice, in two fields", ["gzip", "gzip"],
      "1f8b080000000000020393efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c00378bf8d020000000", .plain),
    Row(
      "gzip twice, the second as x-gzip", ["gzip,x-gzip"],
      "1f8b080000000000020393efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c00378bf8d020000000", .plain),
    Row(
      "deflate, then gzip", ["deflate, gzip"],
      "1f8b0800000000000203ab98f3d9e3ecc993e11ce7f54f7906b230c878b2d80100a8f3addc14000000", .plain),
    Row(
      "gzip, then deflate", ["gzip, deflate"],
      "789c93efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c008bee0827", .plain),
    Row(
      "bare deflate, then gzip", ["deflate, gzip"],
      "1f8b0800000000000203fbec71f6e4c9708ef3faa73c03591800d8a5dff60e000000", .plain),
    Row(
      "gzip, then bare deflate", ["gzip, deflate"], "93efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c00",
      .plain),
    Row(
      "identity between two", ["gzip, identity, deflate"],
      "789c93efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c008bee0827", .plain),
    Row(
      "three in three fields", ["gzip", "deflate", "gzip"],
      "1f8b0800000000000203ab9833f9fdb3040646b567e7e5d2fde7f13cb7585f7fca78426be2c69e653cfc01320cddef38d4019d9bdaf125000000",
      .plain),
    Row(
      "five", ["gzip,gzip,gzip,gzip,gzip"],
      "1f8b080000000000020393efe660000126e6c9ef9f253030aa3d3bf97ebeaa81c12a5beb9f75fb56351ed48acefefbf2fd9bdff3dfdbfc7a1dfec1f0a146e2e77cab7ef94ffe1e2615ffd75f9858d8cad09c79e1edda3687b50c732e7c7ced0c340d00d42de1c456000000",
      .plain),
    Row(
      "five and identity", ["gzip,gzip,identity,gzip,gzip,gzip"],
      "1f8b080000000000020393efe660000126e6c9ef9f253030aa3d3bf97ebeaa81c12a5beb9f75fb56351ed48acefefbf2fd9bdff3dfdbfc7a1dfec1f0a146e2e77cab7ef94ffe1e2615ffd75f9858d8cad09c79e1edda3687b50c732e7c7ced0c340d00d42de1c456000000",
      .plain),
    Row(
      "six", ["gzip,gzip,gzip,gzip,gzip,gzip"],
      "1f8b0800000000000203016b0094ff1f8b080000000000020393efe660000126e6c9ef9f253030aa3d3bf97ebeaa81c12a5beb9f75fb56351ed48acefefbf2fd9bdff3dfdbfc7a1dfec1f0a146e2e77cab7ef94ffe1e2615ffd75f9858d8cad09c79e1edda3687b50c732e7c7ced0c340d00d42de1c4560000001699c7e96b000000",
      .fails("more than 5")),
    Row(
      "six in six fields", ["gzip", "gzip", "gzip", "gzip", "gzip", "gzip"],
      "1f8b0800000000000203016b0094ff1f8b080000000000020393efe660000126e6c9ef9f253030aa3d3bf97ebeaa81c12a5beb9f75fb56351ed48acefefbf2fd9bdff3dfdbfc7a1dfec1f0a146e2e77cab7ef94ffe1e2615ffd75f9858d8cad09c79e1edda3687b50c732e7c7ced0c340d00d42de1c4560000001699c7e96b000000",
      .fails("more than 5")),
    Row(
      "in the wrong order", ["deflate, gzip"],
      "789c93efe660000126e6cf1e674f9e0ce738af7fca33908561b18ca60c0f501c008bee0827", .fails("is damaged after")),
    Row(
      "the inner one is not there", ["gzip, gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .fails("is damaged after")),
    Row(
      "the inner one ends early", ["gzip, gzip"],
      "1f8b080000000000020393efe660000126e6cf1e674f9e0ce738af7fca33900500429b8c5d17000000", .fails("ends early")),
    Row(
      "the inner checksum is wrong", ["gzip, gzip"],
      "1f8b080000000000020393efe660000126e6cf1e674f9e0ce738af7fca339085811128c603c40001b35d1d20000000",
      .fails("checksum or length")),
    Row(
      "the outer checksum is wrong", ["deflate, gzip"],
      "1f8b0800000000000203ab98f3d9e3ecc993e11ce7f54f7906b230c878b2d801000100000014000000", .fails("checksum or length")
    ),
    Row("no byte at all", ["gzip"], "", .text("")),
    Row("no byte at all, deflate", ["deflate"], "", .text("")),
    Row("no byte at all, twice", ["gzip, gzip"], "", .text("")),
    Row("an empty body", ["gzip"], "1f8b080000000000020303000000000000000000", .text("")),
    Row(
      "an empty body, twice", ["gzip, gzip"], "1f8b080000000000020393efe66000012666660618000064eed52a14000000",
      .text("")),
    Row("stored", ["gzip"], "1f8b0800000000000203010c00f3ff48656c6c6f20576f726c6421a31c291c0c000000", .plain),
    Row(
      "with a file name", ["gzip"], "1f8b08080000000002036e616d6500f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain
    ),
    Row(
      "with a comment", ["gzip"], "1f8b0810000000000203776f72647300f348cdc9c95708cf2fca49510400a31c291c0c000000", .plain
    ),
    Row(
      "with an extra field", ["gzip"], "1f8b08040000000002030300616263f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .plain),
    Row(
      "with a checksum of its head", ["gzip"], "1f8b08020000000002032515f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .plain),
    Row(
      "with a wrong checksum of its head", ["gzip"],
      "1f8b08020000000002030000f348cdc9c95708cf2fca49510400a31c291c0c000000", .fails("is damaged after")),
    Row(
      "two members", ["gzip"],
      "1f8b0800000000000203f348cdc9c9570000c0fc2dea060000001f8b08000000000002030bcf2fca49510400de9d287606000000", .plain
    ),
    Row(
      "an empty member between two", ["gzip"],
      "1f8b0800000000000203f348cdc9c9570000c0fc2dea060000001f8b0800000000000203030000000000000000001f8b08000000000002030bcf2fca49510400de9d287606000000",
      .plain),
    Row(
      "zeros behind the end", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      .plain),
    Row(
      "one zero behind the end", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c00000000", .plain),
    Row(
      "words behind the end", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000003c212d2d207365727665642062792078202d2d3e", .plain
    ),
    Row("1F behind the end", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000001f", .plain),
    Row(
      "1F and another byte behind the end", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000001f78", .plain),
    Row(
      "zeros and a member behind the end", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c00000000001f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .plain),
    Row(
      "a second member that ends early", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000001f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000",
      .fails("ends early")),
    Row(
      "a second member that is its mark alone", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000001f8b", .fails("ends early")),
    Row(
      "a damaged second member", ["gzip"],
      "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000001f8b070000000000000000000000000000000000000000",
      .fails("is damaged after")),
    Row("cut: its first byte", ["gzip"], "1f", .fails("ends early")),
    Row("cut: its mark", ["gzip"], "1f8b", .fails("ends early")),
    Row("cut: most of its head", ["gzip"], "1f8b08000000000002", .fails("ends early")),
    Row("cut: its head", ["gzip"], "1f8b0800000000000203", .fails("ends early")),
    Row("cut: some of its data", ["gzip"], "1f8b0800000000000203f348cdc9", .fails("ends early")),
    Row("cut: all but its trailer", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400", .fails("ends early")),
    Row(
      "cut: all but its length", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c",
      .fails("ends early")),
    Row(
      "cut: all but one byte", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c0000",
      .fails("ends early")),
    Row(
      "a wrong checksum", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400070000000c000000",
      .fails("checksum or length")),
    Row(
      "a wrong length", ["gzip"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c07000000",
      .fails("checksum or length")),
    Row(
      "another method", ["gzip"], "1f8b0700000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .fails("is damaged after")),
    Row(
      "reserved flags", ["gzip"], "1f8b08e0000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .fails("is damaged after")),
    Row(
      "a reserved kind of block", ["gzip"], "1f8b08000000000002030748cdc9c95708cf2fca49510400a31c291c0c000000",
      .fails("is damaged after")),
    Row("words", ["gzip"], "6e6f7420677a697020617420616c6c", .fails("is damaged after")),
    Row("zlib's format called gzip", ["gzip"], "789cf348cdc9c95708cf2fca495104001c49043e", .fails("is damaged after")),
    Row("zlib's format, level 0", ["deflate"], "7801010c00f3ff48656c6c6f20576f726c64211c49043e", .plain),
    Row("zlib's format, level 1", ["deflate"], "7801f348cdc9c95708cf2fca495104001c49043e", .plain),
    Row("zlib's format, level 6", ["deflate"], "789cf348cdc9c95708cf2fca495104001c49043e", .plain),
    Row("zlib's format, level 9", ["deflate"], "78daf348cdc9c95708cf2fca495104001c49043e", .plain),
    Row("zlib's format, a window of 512 bytes", ["deflate"], "1895f348cdc9c95708cf2fca495104001c49043e", .plain),
    Row("bare, level 0", ["deflate"], "010c00f3ff48656c6c6f20576f726c6421", .plain),
    Row("bare, level 1", ["deflate"], "f348cdc9c95708cf2fca49510400", .plain),
    Row("bare, level 9", ["deflate"], "f348cdc9c95708cf2fca49510400", .plain),
    Row("bare and empty", ["deflate"], "0300", .text("")),
    Row("zlib's format and empty", ["deflate"], "789c030000000001", .text("")),
    Row("one byte of zlib's format", ["deflate"], "78", .fails("ends early")),
    Row("one byte, bare", ["deflate"], "f3", .fails("ends early")),
    Row("two bytes of zlib's format", ["deflate"], "789c", .fails("ends early")),
    Row("zlib's format without its checksum", ["deflate"], "789cf348cdc9c95708cf2fca49510400", .fails("ends early")),
    Row("bare, cut", ["deflate"], "f348cdc9c95708cf2fca4951", .fails("ends early")),
    Row(
      "zlib's format with a wrong checksum", ["deflate"], "789cf348cdc9c95708cf2fca495104001c49043f",
      .fails("checksum or length")),
    Row(
      "zlib's format with a dictionary", ["deflate"], "78bb00000001f348cdc9c95708cf2fca49510400",
      .fails("is damaged after")),
    Row("words behind zlib's end", ["deflate"], "789cf348cdc9c95708cf2fca495104001c49043e776f726473", .plain),
    Row("zeros behind a bare end", ["deflate"], "f348cdc9c95708cf2fca49510400000000", .plain),
    Row(
      "gzip called deflate", ["deflate"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
      .fails("is damaged after")),
    Row("words called deflate", ["deflate"], "ffff20776f726473", .fails("is damaged after")),
  ]

  #if Brotli
    static let brotliRows: [Row] = [
      Row("br", ["br"], "8b058048656c6c6f20576f726c642103", .plain),
      Row("BR", ["BR"], "8b058048656c6c6f20576f726c642103", .plain),
      Row("an empty body", ["br"], "3b", .text("")),
      Row("no byte at all", ["br"], "", .text("")),
      Row("a window of 1 KiB", ["br"], "212c000448656c6c6f20576f726c642103", .plain),
      Row("words behind the end", ["br"], "8b058048656c6c6f20576f726c642103776f726473", .plain),
      Row("cut", ["br"], "8b058048656c6c6f20576f726c", .fails("ends early")),
      Row("one byte", ["br"], "8b", .fails("ends early")),
      Row("damaged", ["br"], "ffffffffffffffffffffffffffffffffffffffff", .fails("is damaged after")),
      Row(
        "gzip called br", ["br"], "1f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c000000",
        .fails("content coding br")),
      Row(
        "br, then gzip", ["br, gzip"], "1f8b0800000000000203eb666df048cdc9c95708cf2fca49516406008effd55110000000",
        .plain),
      Row(
        "gzip, then br", ["gzip, br"], "8b0f801f8b0800000000000203f348cdc9c95708cf2fca49510400a31c291c0c00000003",
        .plain),
      Row("br twice", ["br, br"], "8b07808b058048656c6c6f20576f726c64210303", .plain),
      Row("a large window", ["br"], "111a16000248656c6c6f20576f726c642103", .fails("is damaged after")),
    ]
  #else
    static let brotliRows = [Row("not built in", ["br"], "8b058048656c6c6f20576f726c642103", .asItIs)]
  #endif

  #if Zstandard
    static let zstandardRows: [Row] = [
      Row("zstd", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e", .plain),
      Row("Zstd", ["Zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e", .plain),
      Row("an empty body", ["zstd"], "28b52ffd240001000099e9d851", .text("")),
      Row("no byte at all", ["zstd"], "", .text("")),
      Row("level 19", ["zstd"], "28b52ffd046861000048656c6c6f20576f726c6421914d7f3e", .plain),
      Row("without a checksum", ["zstd"], "28b52ffd005861000048656c6c6f20576f726c6421", .plain),
      Row(
        "two frames", ["zstd"], "28b52ffd045831000048656c6c6f20cb1f1bd728b52ffd0458310000576f726c64219d864714", .plain),
      Row(
        "a frame to be skipped first", ["zstd"],
        "502a4d180300000061626328b52ffd045861000048656c6c6f20576f726c6421914d7f3e", .plain),
      Row(
        "a frame to be skipped last", ["zstd"],
        "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e5f2a4d1803000000616263", .plain),
      Row("zeros behind the end", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e000000000000", .plain),
      Row("words behind the end", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e776f726473", .plain),
      Row("part of a mark behind the end", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e28b5", .plain),
      Row("cut", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f", .fails("ends early")),
      Row("one byte", ["zstd"], "28", .fails("ends early")),
      Row(
        "a second frame that ends early", ["zstd"],
        "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e28b52ffd045861000048656c6c6f20576f726c6421914d",
        .fails("ends early")),
      Row("damaged", ["zstd"], "28b52ffd04ffffffff48656c6c6f20576f726c6421914d7f3e", .fails("content coding zstd")),
      Row(
        "a wrong checksum", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3f", .fails("checksum or length")
      ),
      Row("words", ["zstd"], "6e6f74207a73746420617420616c6c", .fails("is damaged after")),
      Row("a window of 8 MiB", ["zstd"], "28b52ffd006861000048656c6c6f20576f726c6421", .plain),
      Row(
        "a window of 16 MiB", ["zstd"], "28b52ffd007061000048656c6c6f20576f726c6421", .fails("larger window than 8 MiB")
      ),
      Row(
        "a window of 2 GiB", ["zstd"], "28b52ffd00a861000048656c6c6f20576f726c6421", .fails("larger window than 8 MiB")),
      Row(
        "zstd, then gzip", ["zstd, gzip"],
        "1f8b0800000000000203d3d8aaff9725229181c1233527275f213cbf28274571a26fbd1d006778795619000000", .plain),
    ]
  #else
    static let zstandardRows = [
      Row("not built in", ["zstd"], "28b52ffd045861000048656c6c6f20576f726c6421914d7f3e", .asItIs)
    ]
  #endif

  #if Brotli && Zstandard
    static let mixedRows = [
      Row("br, then zstd", ["br, zstd"], "28b52ffd04588100008b058048656c6c6f20576f726c6421038479901c", .plain),
      Row("zstd, then br", ["zstd", "br"], "0b0c8028b52ffd045861000048656c6c6f20576f726c6421914d7f3e03", .plain),
    ]
  #else
    static let mixedRows: [Row] = []
  #endif
}
