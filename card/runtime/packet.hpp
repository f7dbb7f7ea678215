// SPDX-License-Identifier: Apache-2.0
// UDP packets as the traffic generator builds and checks them; written independently of the RTL, so that the two can
// disagree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace girih {

constexpr uint32_t Untagged = 0xFFFF;

struct UdpAddress {  // of a packet, as on the wire
  uint32_t src_ip, dst_ip;
  uint16_t src_port, dst_port;
  bool operator==(const UdpAddress &) const = default;
};

struct UdpTemplate {
  const uint8_t *dst_mac, *src_mac;
  uint32_t vlan;  // tag control information, or Untagged
  UdpAddress address;
};

uint16_t load16(const uint8_t *bytes);
uint32_t load32(const uint8_t *bytes);
void store16(uint8_t *bytes, uint16_t value);

// The ones' complement sum of RFC 1071 over `size` bytes, added to `sum`; fold16 ends it.
uint64_t add_sum(const uint8_t *bytes, size_t size, uint64_t sum);
uint16_t fold16(uint64_t sum);

// A frame of at least 60 bytes with right checksums.
std::vector<uint8_t> make_udp(const UdpTemplate &header, const uint8_t *payload, size_t size);
size_t payload_offset(const UdpTemplate &header);

struct UdpView {
  UdpAddress address;
  const uint8_t *payload;
  size_t size;
  bool intact;  // lengths and both checksums are right
};

// False when the frame is not UDP over IPv4, or too short to tell.
bool parse_udp(const std::vector<uint8_t> &frame, UdpView &view);

}  // namespace girih
