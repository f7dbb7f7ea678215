// SPDX-License-Identifier: Apache-2.0
// Sets up eth0: `ethtool channels N` as `ethtool -L eth0 combined N` does, the number of pairs of queues; `ethtool coalesce MICROSECONDS FRAMES` as
// `ethtool -C eth0 rx-usecs MICROSECONDS rx-frames FRAMES tx-usecs MICROSECONDS tx-frames FRAMES`, how long interrupts wait; `ethtool rss PAIR BYTE` as
// `ethtool -X eth0`, all flows to a pair, by a key of equal bytes.
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static int ask(void *what) {
  struct ifreq request = {.ifr_name = "eth0", .ifr_data = what};
  return ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCETHTOOL, &request) < 0;
}

static int channels(unsigned pairs) {
  struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
  if (ask(&channels)) return 1;
  channels.cmd = ETHTOOL_SCHANNELS;
  channels.combined_count = pairs;
  const int failed = ask(&channels);
  printf("channels %u of %u: %s\n", pairs, channels.max_combined, failed ? "refused" : "set");
  return failed;
}

static int coalesce(unsigned microseconds, unsigned frames) {
  struct ethtool_coalesce coalesce = {.cmd = ETHTOOL_SCOALESCE};
  coalesce.rx_coalesce_usecs = coalesce.tx_coalesce_usecs = microseconds;
  coalesce.rx_max_coalesced_frames = coalesce.tx_max_coalesced_frames = frames;
  const int failed = ask(&coalesce);
  printf("coalesce %u %u: %s\n", microseconds, frames, failed ? "refused" : "set");
  return failed;
}

static int rss(unsigned pair, unsigned byte) {
  struct ethtool_rxfh sizes = {.cmd = ETHTOOL_GRSSH};
  if (ask(&sizes)) return 1;
  const size_t bytes = sizeof sizes + 4 * sizes.indir_size + sizes.key_size;
  struct ethtool_rxfh *const rss = calloc(1, bytes);
  if (!rss) return 1;
  *rss = sizes;
  rss->cmd = ETHTOOL_SRSSH;
  rss->hfunc = 0;
  for (unsigned entry = 0; entry < sizes.indir_size; ++entry) rss->rss_config[entry] = pair;
  memset(rss->rss_config + sizes.indir_size, (int)byte, sizes.key_size);
  const int failed = ask(rss);
  printf("rss to %u of %u entries, by %u bytes: %s\n", pair, sizes.indir_size, sizes.key_size, failed ? "refused" : "set");
  free(rss);
  return failed;
}

int main(int count, char **words) {
  if (count == 3 && strcmp(words[1], "channels") == 0) return channels((unsigned)atoi(words[2]));
  if (count == 4 && strcmp(words[1], "coalesce") == 0) return coalesce((unsigned)atoi(words[2]), (unsigned)atoi(words[3]));
  if (count == 4 && strcmp(words[1], "rss") == 0) return rss((unsigned)atoi(words[2]), (unsigned)atoi(words[3]));
  return 2;
}
