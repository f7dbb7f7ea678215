// SPDX-License-Identifier: Apache-2.0
// The control network as the program of a control core sees it: one request at a time, and events of watched registers and of interrupt lines. Requests
// of the program and of the watches take turns, the program's first. The tile (ctrl_master) has rights, tenant and the master's number.
module control_device
  import girih_pkg::*, core_map_pkg::*, core_types_pkg::*;
#(
    parameter int unsigned Watches = 16,
    parameter int unsigned Lines = 32
) (
    input logic clk_i,
    input logic rst_i,
    input logic running_i,  // 0: the core is in reset
    input logic [15:0] pace_i,

    input  control_access_t access_i,
    output logic [31:0] word_o,  // the word at access_i.device
    output logic wake_o,  // an event is waiting

    output logic          control_valid_o,
    input  logic          control_ready_i,
    output ctrl_request_t control_request_o,
    input  logic          control_answer_valid_i,
    input  ctrl_answer_t  control_answer_i,

    input logic [Lines-1:0] interrupt_i,

    output logic asked_o,  // the program makes a request
    output logic failed_o,  // a request was not done
    output logic told_o  // the program takes an event
);
  localparam ctrl_tag_t OfProgram = 0, OfWatch = 1;
  localparam int unsigned LineBits = Lines > 1 ? $clog2(Lines) : 1;

  function automatic logic [1:0] ending(input ctrl_status_e status);
    unique case (status)
      CtrlOkay: ending = 2'(ControlDone);
      CtrlRefused: ending = 2'(ControlRefused);
      CtrlError: ending = 2'(ControlError);
      default: ending = 2'(ControlNoNode);
    endcase
  endfunction

  // Writes of the program.
  logic [7:0] number_q;
  logic [31:0] step_q, data_q;
  logic starts, sets, listens;
  always_comb begin
    starts = 1'b0;
    sets = 1'b0;
    listens = 1'b0;
    unique case (access_i.device)
      device_t'(DeviceControlRead), device_t'(DeviceControlWrite): starts = access_i.write;
      device_t'(DeviceWatch): sets = access_i.write;
      device_t'(DeviceListen): listens = access_i.write;
      default: ;
    endcase
  end
  always_ff @(posedge clk_i) begin
    if (access_i.write && access_i.device == device_t'(DeviceControlData)) data_q <= access_i.data;
    if (access_i.write && access_i.device == device_t'(DeviceWatchNumber)) number_q <= access_i.data[31:8] == '0 ? access_i.data[7:0] : '1;
    if (access_i.write && access_i.device == device_t'(DeviceWatchStep)) step_q <= access_i.data;
  end

  // The request of the program. lost: the program has been restarted since, so nothing can use the answer.
  logic busy_q, waits_q, lost_q, bad;
  logic [1:0] ending_q;
  logic [31:0] word_q;
  ctrl_request_t asked_q, request_q;
  logic room, watch_read, watch_ready, of_program, of_watch, valid_q;
  logic [23:0] watch_at;
  assign bad = access_i.data[31:24] != '0 || access_i.data[1:0] != '0;
  assign room = !valid_q || control_ready_i;
  assign watch_ready = room && !waits_q;
  assign of_program = control_answer_valid_i && control_answer_i.tag == OfProgram;
  assign of_watch = control_answer_valid_i && control_answer_i.tag == OfWatch;
  assign control_valid_o = valid_q;
  assign control_request_o = request_q;
  assign asked_o = starts && !busy_q;
  assign failed_o = (of_program && control_answer_i.status != CtrlOkay) || (asked_o && bad);

  always_ff @(posedge clk_i) begin
    if (asked_o) begin
      asked_q <= '{
          write: access_i.device == device_t'(DeviceControlWrite),
          tag: OfProgram,
          node: access_i.data[23:16],
          offset: access_i.data[15:0],
          data: data_q
      };
      busy_q <= !bad;
      waits_q <= !bad;
      lost_q <= 1'b0;
      if (bad) begin
        ending_q <= 2'(ControlNoNode);
        word_q   <= '0;
      end
    end
    if (room) begin
      valid_q <= waits_q || watch_read;
      if (waits_q) begin
        request_q <= asked_q;
        waits_q   <= 1'b0;
      end else begin
        request_q <= '{write: 1'b0, tag: OfWatch, node: watch_at[23:16], offset: watch_at[15:0], data: '0};
      end
    end
    if (of_program) begin
      busy_q   <= 1'b0;
      ending_q <= ending(control_answer_i.status);
      word_q   <= control_answer_i.data;
      if (lost_q) begin
        ending_q <= '0;
        word_q   <= '0;
      end
    end
    if (!running_i) begin
      lost_q <= 1'b1;
      ending_q <= '0;
      word_q <= '0;
    end
    if (rst_i) begin
      busy_q  <= 1'b0;
      waits_q <= 1'b0;
      valid_q <= 1'b0;
    end
  end

  // Events. A line causes one event until the program listens again. The two kinds of event take turns, so that neither starves the other.
  logic watch_event, watch_failed, line_q, turn_q;  // turn: the event that is shown is a line's
  logic [7:0] watch_number, line_number_q;
  logic [31:0] watch_value;
  logic [Lines-1:0] listen_q, up_q;
  control_watch #(
      .Watches(Watches)
  ) u_watch (
      .clk_i,
      .rst_i,
      .running_i,
      .pace_i,
      .set_valid_i(sets),
      .set_number_i(number_q),
      .set_step_i(step_q),
      .set_at_i(access_i.data),
      .read_valid_o(watch_read),
      .read_ready_i(watch_ready),
      .read_at_o(watch_at),
      .answer_valid_i(of_watch),
      .answer_status_i(control_answer_i.status),
      .answer_data_i(control_answer_i.data),
      .event_valid_o(watch_event),
      .event_number_o(watch_number),
      .event_failed_o(watch_failed),
      .event_value_o(watch_value),
      .event_take_i(access_i.take && !turn_q)
  );

  logic [LineBits-1:0] line;
  assign wake_o = turn_q ? line_q : watch_event;
  assign told_o = access_i.take && wake_o;
  always_comb begin
    line = '0;
    for (int i = Lines - 1; i >= 0; i--) if (up_q[i]) line = LineBits'(i);
  end
  always_ff @(posedge clk_i) begin
    up_q <= interrupt_i & listen_q;
    if (!line_q) begin
      line_number_q <= 8'(line);
      if (up_q != '0) begin
        line_q <= 1'b1;
        listen_q[line] <= 1'b0;
        up_q <= '0;
      end
    end
    if (listens && access_i.data < Lines) listen_q[LineBits'(access_i.data)] <= 1'b1;
    if (!wake_o || access_i.take) turn_q <= turn_q ? !watch_event : line_q;
    if (access_i.take && turn_q) line_q <= 1'b0;
    if (!running_i || rst_i) begin
      listen_q <= '0;
      up_q <= '0;
      line_q <= 1'b0;
      turn_q <= 1'b0;
    end
  end

  always_comb begin
    unique case ({access_i.device[$high(access_i.device):2], 2'b00})
      device_t'(DeviceControl): word_o = {busy_q, 15'd0, 8'(Watches), 6'd0, ending_q};
      device_t'(DeviceControlWord): word_o = word_q;
      device_t'(DeviceEvent): begin
        word_o = {24'd0, !wake_o ? 8'd0 : turn_q ? line_number_q : watch_number};
        word_o[31] = wake_o;
        word_o[EventLine] = wake_o && turn_q;
        word_o[EventFailed] = wake_o && !turn_q && watch_failed;
      end
      device_t'(DeviceEventValue): word_o = wake_o && !turn_q ? watch_value : '0;
      default: word_o = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (!rst_i) begin
      assert (!of_program || busy_q)
      else $error("control_device: an answer without a request");
      restarted_under_way : cover (of_program && lost_q);
    end
  end
endmodule
