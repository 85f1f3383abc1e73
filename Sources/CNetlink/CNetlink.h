/* rtnetlink's structures and constants, which Swift's Glibc module leaves out. */
#ifndef CNETLINK_H
#define CNETLINK_H

#include <sys/socket.h>

#include <linux/fib_rules.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/nl80211.h>
#include <linux/rtnetlink.h>

#endif
