// SPDX-License-Identifier: Apache-2.0
// Sets the number of pairs of queues of eth0, as `ethtool -L eth0 combined N` does.
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(int count, char **words) {
  struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
  struct ifreq request = {.ifr_name = "eth0", .ifr_data = (void *)&channels};
  const int any = socket(AF_INET, SOCK_DGRAM, 0);
  if (count != 2 || ioctl(any, SIOCETHTOOL, &request) < 0) return 1;
  channels.cmd = ETHTOOL_SCHANNELS;
  channels.combined_count = (unsigned)atoi(words[1]);
  const int failed = ioctl(any, SIOCETHTOOL, &request) < 0;
  printf("channels %u of %u: %s\n", channels.combined_count, channels.max_combined, failed ? "refused" : "set");
  return failed;
}
