// stride: -e trace=ioctl -a1
// Commands for SCSI devices and for trusted execution environments. There is no descriptor, so all of them fail.
#define _GNU_SOURCE
#include <linux/bsg.h>
#include <linux/tee.h>
#include <scsi/sg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
#include "request.h"

#ifndef TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT
#define TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT 8
#endif

int main(void)
{
	unsigned char inquiry[6] = { 0x12, 0, 0, 0, 4, 0 };
	char data[4] = { 1, 2, 3, 4 }, rest[4] = "abc";
	struct iovec parts[2] = { { data, 1 }, { rest, 4 } };
	struct sg_io_hdr old = {
		.interface_id = 'S', .dxfer_direction = SG_DXFER_TO_DEV, .cmd_len = 6, .cmdp = inquiry, .dxfer_len = 4, .dxferp = data,
		.timeout = 1000, .flags = SG_FLAG_DIRECT_IO | 0x100, .info = SG_INFO_DIRECT_IO
	};
	struct sg_io_v4 new = {
		.guard = 'Q', .subprotocol = BSG_SUB_PROTOCOL_SCSI_TMF, .request_len = 6, .request = (long) inquiry,
		.dout_xfer_len = 4, .dout_xferp = (long) data, .din_xfer_len = 2, .din_xferp = (long) rest, .din_resid = 1
	};
	unsigned form = 3;

	struct { struct tee_ioctl_invoke_arg head; struct tee_ioctl_param params[3]; } invoke = {
		{ 1, 2, 3, .num_params = 3 },
		{ { TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INPUT | TEE_IOCTL_PARAM_ATTR_META, 1, 2, 3 },
		  { TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_OUTPUT, 4, 5, 6 }, { TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT, 0, 7, 0 } }
	};
	struct tee_ioctl_open_session_arg open = { "0123456789abcde", "\1\2", TEE_IOCTL_LOGIN_GROUP };
	struct tee_ioctl_buf_data call = { (long) &invoke, sizeof invoke };
	struct tee_ioctl_buf_data session = { (long) &open, sizeof open };
	struct tee_ioctl_shm_alloc_data memory = { 4096 };
	struct tee_ioctl_cancel_arg cancel = { 4, 5 };

	chdir("MARKER");

	TRY(SG_IO, &old, "{interface_id='S', dxfer_direction=SG_DXFER_TO_DEV, cmd_len=6, cmdp=\"\\x12\\x00\\x00\\x00\\x04\\x00\", "
	    "mx_sb_len=0, iovec_count=0, dxfer_len=4, timeout=1000, flags=SG_FLAG_DIRECT_IO|0x100, dxferp=\"\\x01\\x02\\x03\\x04\", "
	    "status=0, masked_status=0, msg_status=0, sb_len_wr=0, sbp=NULL, host_status=0, driver_status=0, resid=0, duration=0, "
	    "info=SG_INFO_DIRECT_IO}");
	old.dxfer_direction = SG_DXFER_FROM_DEV;
	old.dxferp = parts;
	old.iovec_count = 2;
	old.resid = 1;
	TRY(SG_IO, &old, "{interface_id='S', dxfer_direction=SG_DXFER_FROM_DEV, cmd_len=6, "
	    "cmdp=\"\\x12\\x00\\x00\\x00\\x04\\x00\", mx_sb_len=0, iovec_count=2, dxfer_len=4, timeout=1000, "
	    "flags=SG_FLAG_DIRECT_IO|0x100, dxferp=[{iov_base=\"\\1\", iov_len=1}, {iov_base=\"ab\", iov_len=4}], "
	    "status=0, masked_status=0, msg_status=0, sb_len_wr=0, sbp=NULL, host_status=0, driver_status=0, resid=1, duration=0, "
	    "info=SG_INFO_DIRECT_IO}");
	TRY(SG_IO, &new, "{guard='Q', protocol=BSG_PROTOCOL_SCSI, subprotocol=BSG_SUB_PROTOCOL_SCSI_TMF, request_len=6, "
	    "request=\"\\x12\\x00\\x00\\x00\\x04\\x00\", request_tag=0, request_attr=0, request_priority=0, request_extra=0, "
	    "max_response_len=0, dout_iovec_count=0, dout_xfer_len=4, din_iovec_count=0, din_xfer_len=2, "
	    "dout_xferp=\"\\x01\\x02\\x03\\x04\", timeout=0, flags=0, usr_ptr=0, response_len=0, response=NULL, din_xferp=\"\\x61\", "
	    "driver_status=0, transport_status=0, device_status=0, retry_delay=0, info=0, duration=0, response_len=0, din_resid=1, "
	    "dout_resid=0, generated_tag=0}");
	TRY(SG_IO, &form, "[3]");

	TRY(TEE_IOC_INVOKE, &call, "{buf_len=%zu, buf_ptr={func=1, session=0x2, cancel_id=3, num_params=3, "
	    "params=[{attr=TEE_IOCTL_PARAM_ATTR_TYPE_VALUE_INPUT|TEE_IOCTL_PARAM_ATTR_META, a=0x1, b=0x2, c=0x3}, "
	    "{attr=TEE_IOCTL_PARAM_ATTR_TYPE_MEMREF_OUTPUT, shm_offs=0x4, size=0x5, shm_id=6}, "
	    "{attr=TEE_IOCTL_PARAM_ATTR_TYPE_UBUF_INPUT, buf=NULL, size=0x7}]}}", sizeof invoke);
	TRY(TEE_IOC_OPEN_SESSION, &session, "{buf_len=%zu, buf_ptr={uuid=30313233-3435-3637-3839-616263646500, "
	    "clnt_login=TEE_IOCTL_LOGIN_GROUP, clnt_uuid=513, cancel_id=0, num_params=0, params=[]}}", sizeof open);
	call.buf_len--;
	TRY(TEE_IOC_INVOKE, &call, "{buf_len=%zu, buf_ptr=%p}", sizeof invoke - 1, &invoke);
	TRY(TEE_IOC_SHM_ALLOC, &memory, "{size=0x1000, flags=0}");
	TRY(TEE_IOC_CANCEL, &cancel, "{cancel_id=4, session=0x5}");
	TRY(TEE_IOC_VERSION, &cancel, "%p", &cancel);
	return 0;
}
