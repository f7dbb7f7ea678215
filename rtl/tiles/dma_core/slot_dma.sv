// SPDX-License-Identifier: Apache-2.0
// Accesses to memory for the program of a core: each reads into the slot of one of its messages, or writes from there, at most a page at a time. A slot has at
// most one access in flight; its number is the request's tag, so no two requests in flight have the same.
//
//   program --> post --> flying, with its range of the slot --> slot_output --> request
//               '-> malformed                 ^---- ended: status <-- slot memory <-- reply
//
// Data keep their place in a flit, as docs/memory.md requires: the place in the slot and the address are equal modulo the bytes of a flit. The request of an
// access that breaks this or another rule is not sent. Replies are always taken, a flit in every cycle, whatever the program does: a flit is in the packet
// memory two cycles after it came. Only bytes of the range are written, only while the access is in flight, and only if it succeeded. A slot keeps its access
// until the reply has come, even if the program is restarted; its status is only for the program that started it.
module slot_dma
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*, memory_access_pkg::*;
#(
    parameter int unsigned Slots = 16,
    parameter int unsigned SlotBytes = 2048
) (
    input logic clk_i,
    input logic rst_i,

    input logic [1:0] spaces_i,  // that the card has: the host's, external memory

    input  from_core_t core_i,
    output to_core_t   core_o,
    output logic [Slots-1:0] flying_o,  // slots with an access in flight

    // What leaves: the core completes messages, this module requests.
    input  flit_t     flit_i,
    input  next_key_t key_i,
    output flit_t     flit_o,
    output next_key_t key_o,

    input logic  reply_valid_i,
    input flit_t reply_flit_i,

    output logic failed_o  // pulse: an access ends with an error
);
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned FlitBits = $clog2(SlotBytes / FlitBytes);
  localparam int unsigned HighBits = AddrBits - 32;
  typedef logic [SlotBits-1:0] slot_t;
  typedef logic [FlitBits-1:0] index_t;  // of a flit in a slot
  typedef logic [EmptyWidth-1:0] lane_t;
  typedef logic [DmaPlaceLsb-1:0] bytes_t;

  // What an access needs of its slot.
  typedef struct packed {
    logic write;
    index_t first;
    index_t more;  // flits after the first
    lane_t from;  // the first byte
    lane_t behind;  // the byte behind the last one; 0: a new flit
  } range_t;

  // The content of its request.
  typedef struct packed {
    logic write;
    logic host;
    logic [AddrBits-1:0] addr;
    bytes_t bytes;
  } request_t;

  function automatic logic [Slots-1:0] only(logic valid, slot_t slot);
    only = Slots'(valid) << slot;
  endfunction

  // The address of the next access.
  logic [31:0] low_q;
  logic [HighBits-1:0] high_q;
  logic host_q, beyond_q;

  // An access that the program starts.
  slot_t post_slot;
  request_t request;
  range_t range;
  logic [DmaPlaceBits-1:0] place;
  logic [DmaPlaceBits:0] bytes_asked, reach, page_reach, flit_reach;  // the place behind it, in the slot and in the page; of its last byte from the start of its first flit on
  logic right, posted, wrong;
  assign post_slot = core_i.slot[SlotBits-1:0];
  assign place = core_i.data[DmaPlaceLsb+:DmaPlaceBits];
  assign request = '{write: core_i.data[DmaWrite], host: host_q, addr: {high_q, low_q}, bytes: core_i.data[DmaPlaceLsb-1:0]};
  assign bytes_asked = (DmaPlaceBits + 1)'(request.bytes);
  assign reach = (DmaPlaceBits + 1)'(place) + bytes_asked;
  assign page_reach = (DmaPlaceBits + 1)'(request.addr[$clog2(PageBytes)-1:0]) + bytes_asked;
  assign flit_reach = (DmaPlaceBits + 1)'(request.addr[EmptyWidth-1:0]) + bytes_asked - 1'b1;
  assign range = '{
          write: request.write,
          first: place[EmptyWidth+:FlitBits],
          more: flit_reach[EmptyWidth+:FlitBits],
          from: request.addr[EmptyWidth-1:0],
          behind: reach[EmptyWidth-1:0]
      };
  assign right = request.bytes != '0 && 32'(page_reach) <= PageBytes && 32'(reach) <= SlotBytes && 32'(flit_reach) < MaxFrameBytes &&
      place[EmptyWidth-1:0] == request.addr[EmptyWidth-1:0] && !beyond_q && spaces_i[request.host];
  assign posted = core_i.post && right;
  assign wrong = core_i.post && !right;

  range_t range_mem[Slots];
  request_t request_mem[Slots];
  always_ff @(posedge clk_i) begin
    if (posted) begin
      range_mem[post_slot] <= range;
      request_mem[post_slot] <= request;
    end
    if (core_i.address[0]) low_q <= core_i.data;
    if (core_i.address[1]) begin
      high_q <= core_i.data[HighBits-1:0];
      host_q <= core_i.data[DmaHost];
      beyond_q <= core_i.data[DmaHost-1:HighBits] != '0;
    end
    if (rst_i) begin
      low_q <= '0;
      high_q <= '0;
      host_q <= 1'b0;
      beyond_q <= 1'b0;
    end
  end

  // Its request: a write brings the flits of its range, a read any one flit.
  range_t sends;
  request_t asked;
  assign sends = range_mem[core_i.sends[SlotBits-1:0]];
  assign asked = request_mem[core_i.leaves[SlotBits-1:0]];
  always_comb begin
    flit_o = flit_i;
    key_o = key_i;
    if (core_i.asks) begin
      flit_o.desc.memory_op = asked.write ? OpWrite : OpRead;
      flit_o.desc.memory_addr = asked.addr;
      flit_o.desc.memory_bytes = $bits(flit_o.desc.memory_bytes)'(asked.bytes);
      flit_o.desc.memory_tag = memory_tag_t'(core_i.leaves);
      key_o = asked.host ? next_key_t'(DmaHostKey) : next_key_t'(DmaMemoryKey);
    end
  end

  // The reply, in registers.
  typedef struct packed {
    slot_t slot;
    logic known;
    status_e status;
  } reply_t;
  logic valid_q, last_q, bad_q, starts_q;
  reply_t reply, reply_q;
  logic [W-1:0] data_q;
  always_comb begin
    reply = reply_q;
    if (reply_flit_i.first) begin
      reply.slot = reply_flit_i.desc.memory_tag[SlotBits-1:0];
      reply.known = 32'(reply_flit_i.desc.memory_tag) < Slots;
      reply.status = status_e'(reply_flit_i.desc.memory_status);
    end
  end
  always_ff @(posedge clk_i) begin
    valid_q <= reply_valid_i;
    if (reply_valid_i) begin
      reply_q <= reply;
      data_q <= reply_flit_i.data;
      last_q <= reply_flit_i.last;
      bad_q <= reply_flit_i.bad;
      starts_q <= reply_flit_i.first;
    end
    if (rst_i) valid_q <= 1'b0;
  end

  // Its data, and its end. A reply to an access that is not in flight changes nothing.
  logic [Slots-1:0] flying_q, done_q, wrong_q, owned;
  logic known, known_q, ended, fits, over_q;
  index_t index, index_q;
  range_t to;
  status_e status;
  logic [FlitBytes-1:0] bytes;
  assign owned = core_i.owned[Slots-1:0];
  assign known = valid_q && (starts_q ? reply_q.known && flying_q[reply_q.slot] : known_q);
  assign ended = known && last_q;
  assign to = range_mem[reply_q.slot];
  assign index = starts_q ? '0 : index_q;
  assign fits = starts_q || !over_q;
  assign status = bad_q ? StatusSlave : reply_q.status;
  always_comb begin
    bytes = '1;
    if (starts_q) bytes &= '1 << to.from;
    if (index == to.more && to.behind != '0) bytes &= ~({FlitBytes{1'b1}} << to.behind);
  end

  // What the program learns of it.
  status_e status_mem[Slots];
  logic news_q;
  always_ff @(posedge clk_i) begin
    if (valid_q) begin
      known_q <= known;
      index_q <= index + 1'b1;
      over_q <= !fits || index == to.more;
    end
    if (ended) status_mem[reply_q.slot] <= status;
    flying_q <= (flying_q | only(posted, post_slot)) & ~only(ended, reply_q.slot);
    done_q <= ((done_q & ~only(core_i.post, post_slot)) | only(ended, reply_q.slot)) & owned;
    wrong_q <= ((wrong_q & ~only(posted, post_slot)) | only(wrong, post_slot)) & owned;
    news_q <= (news_q && !core_i.woken) || (ended && owned[reply_q.slot]) || wrong;
    if (rst_i) begin
      flying_q <= '0;
      done_q <= '0;
      wrong_q <= '0;
      news_q <= 1'b0;
    end
  end

  logic [2:0] learned;
  always_comb begin
    learned = StatusOk;
    if (done_q[post_slot]) learned = status_mem[post_slot];
    if (wrong_q[post_slot]) learned = StatusMalformed;
    core_o = '{
        ask: posted,
        ask_slot: core_i.slot,
        first: slot_flit_t'(sends.first),
        more: sends.write ? slot_flit_t'(sends.more) : '0,
        empty: sends.write ? -sends.behind : '0,
        status: {flying_q[post_slot], 28'd0, learned},
        wake: news_q,
        place: known && fits && !to.write && reply_q.status == StatusOk,
        place_slot: any_slot_t'(reply_q.slot),
        place_flit: slot_flit_t'(index_t'(to.first + index)),
        place_bytes: bytes,
        place_data: data_q
    };
  end
  assign flying_o = flying_q;
  assign failed_o = wrong || (ended && status != StatusOk);

  logic unused;
  assign unused = &{1'b0, core_i, reply_flit_i, sends};

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!core_i.post || !flying_q[post_slot])
      else $error("slot_dma: an access of slot %0d starts before the last one has ended", post_slot);
      assert (!(core_i.asks && flit_i.last) || flying_q[core_i.leaves[SlotBits-1:0]])
      else $error("slot_dma: a request leaves for no access in flight");
      stray_reply : cover (valid_q && last_q && !known);
      ends_for_nobody : cover (ended && !owned[reply_q.slot]);
      ends_as_another_starts : cover (ended && posted);
    end
  end
endmodule
