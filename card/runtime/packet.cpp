// SPDX-License-Identifier: Apache-2.0
#include "packet.hpp"

#include <algorithm>
#include <cstring>

namespace girih {
namespace {
constexpr size_t EthernetBytes = 14, VlanBytes = 4, IpBytes = 20, UdpBytes = 8, MinFrameBytes = 60;
constexpr uint16_t EtherTypeIpv4 = 0x0800, EtherTypeVlan = 0x8100;
constexpr uint8_t ProtocolUdp = 17;

void store32(uint8_t *bytes, uint32_t value) {
  store16(bytes, static_cast<uint16_t>(value >> 16));
  store16(bytes + 2, static_cast<uint16_t>(value));
}

uint64_t pseudo_header(const uint8_t *ip, uint16_t udp_length) {
  return add_sum(ip + 12, 8, uint64_t{ProtocolUdp} + udp_length);
}
}  // namespace

uint16_t load16(const uint8_t *bytes) { return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]); }
uint32_t load32(const uint8_t *bytes) { return uint32_t{load16(bytes)} << 16 | load16(bytes + 2); }
void store16(uint8_t *bytes, uint16_t value) {
  bytes[0] = static_cast<uint8_t>(value >> 8);
  bytes[1] = static_cast<uint8_t>(value);
}

uint64_t add_sum(const uint8_t *bytes, size_t size, uint64_t sum) {
  size_t i = 0;
  for (; i + 1 < size; i += 2) sum += load16(bytes + i);
  if (i < size) sum += uint64_t{bytes[i]} << 8;
  return sum;
}

uint16_t fold16(uint64_t sum) {
  while (sum >> 16) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<uint16_t>(sum);
}

size_t payload_offset(const UdpTemplate &header) {
  return EthernetBytes + (header.vlan == Untagged ? 0 : VlanBytes) + IpBytes + UdpBytes;
}

std::vector<uint8_t> make_udp(const UdpTemplate &header, const uint8_t *payload, size_t size) {
  std::vector<uint8_t> frame(std::max(MinFrameBytes, payload_offset(header) + size));
  std::copy_n(header.dst_mac, 6, frame.data());
  std::copy_n(header.src_mac, 6, frame.data() + 6);
  uint8_t *type = frame.data() + 12;
  if (header.vlan != Untagged) {
    store16(type, EtherTypeVlan);
    store16(type + 2, static_cast<uint16_t>(header.vlan));
    type += VlanBytes;
  }
  store16(type, EtherTypeIpv4);
  uint8_t *ip = type + 2, *udp = ip + IpBytes;
  ip[0] = 0x45;
  store16(ip + 2, static_cast<uint16_t>(IpBytes + UdpBytes + size));
  store16(ip + 6, 0x4000);  // do not fragment
  ip[8] = 64;
  ip[9] = ProtocolUdp;
  store32(ip + 12, header.address.src_ip);
  store32(ip + 16, header.address.dst_ip);
  store16(ip + 10, static_cast<uint16_t>(~fold16(add_sum(ip, IpBytes, 0))));
  const auto length = static_cast<uint16_t>(UdpBytes + size);
  store16(udp, header.address.src_port);
  store16(udp + 2, header.address.dst_port);
  store16(udp + 4, length);
  if (size) std::memcpy(udp + UdpBytes, payload, size);
  const auto sum = static_cast<uint16_t>(~fold16(add_sum(udp, length, pseudo_header(ip, length))));
  store16(udp + 6, sum ? sum : 0xFFFF);
  return frame;
}

bool parse_udp(const std::vector<uint8_t> &frame, UdpView &view) {
  const uint8_t *type = frame.data() + 12, *end = frame.data() + frame.size();
  if (frame.size() < EthernetBytes + IpBytes + UdpBytes) return false;
  if (load16(type) == EtherTypeVlan) type += VlanBytes;
  const uint8_t *ip = type + 2;
  if (load16(type) != EtherTypeIpv4 || ip[0] >> 4 != 4 || ip[9] != ProtocolUdp) return false;
  const size_t header = size_t{4} * (ip[0] & 0xF);
  const uint8_t *udp = ip + header;
  if (header < IpBytes || udp + UdpBytes > end) return false;
  view.address = {load32(ip + 12), load32(ip + 16), load16(udp), load16(udp + 2)};
  view.payload = udp + UdpBytes;
  const uint16_t total = load16(ip + 2), length = load16(udp + 4), sum = load16(udp + 6);
  view.intact = ip + total <= end && length >= UdpBytes && header + length == total && (load16(ip + 6) & 0x3FFF) == 0;
  view.size = view.intact ? length - UdpBytes : 0;
  view.intact = view.intact && fold16(add_sum(ip, header, 0)) == 0xFFFF &&
                (sum == 0 || fold16(add_sum(udp, length, pseudo_header(ip, length))) == 0xFFFF);
  return true;
}

}  // namespace girih
