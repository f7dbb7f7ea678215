// SPDX-License-Identifier: Apache-2.0
#include "axil.hpp"

namespace girih {

void AxiLite::start(const Access &access) {
  access_ = access;
  state_ = State::Request;
  address_done_ = false;
  data_done_ = !access.write;
  drive();
}

void AxiLite::drive() {
  const bool request = state_ == State::Request;
  *pins_.awvalid = request && access_.write && !address_done_;
  *pins_.wvalid = request && access_.write && !data_done_;
  *pins_.arvalid = request && !access_.write && !address_done_;
  *pins_.awaddr = *pins_.araddr = access_.address;
  *pins_.wdata = access_.data;
  *pins_.wstrb = 0xF;
  *pins_.bready = *pins_.rready = state_ == State::Response;
}

void AxiLite::sample(uint64_t cycle) {
  if (state_ == State::Request) {
    address_done_ |= (*pins_.awvalid && *pins_.awready) || (*pins_.arvalid && *pins_.arready);
    data_done_ |= *pins_.wvalid && *pins_.wready;
    if (address_done_ && data_done_) state_ = State::Response;
  } else if (state_ == State::Response && (access_.write ? *pins_.bvalid : *pins_.rvalid)) {
    access_.error = access_.write ? *pins_.bresp : *pins_.rresp;
    if (!access_.write) access_.data = *pins_.rdata;
    access_.end_cycle = cycle;
    state_ = State::Idle;
  }
}

void AxiLite::abandon() {
  state_ = State::Idle;
  drive();
}

}  // namespace girih
