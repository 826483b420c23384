/* Requests of the drivers of Mali GPUs that are no part of the kernel (kbase). Numbers and members as the drivers r32p1 to r44p0 have them. */
#include <linux/types.h>
#include <linux/ioctl.h>

#define KBASE(nr) _IO(0x80, nr)
#define KBASE_IN(nr, type) _IOW(0x80, nr, type)
#define KBASE_OUT(nr, type) _IOR(0x80, nr, type)
#define KBASE_BOTH(nr, type) _IOWR(0x80, nr, type)
#define HWCNT_IN(nr, type) _IOW(0xbe, nr, type)
#define HWCNT_OUT(nr, type) _IOR(0xbe, nr, type)

struct kbase_ioctl_version_check { __u16 major, minor; };
struct kbase_ioctl_set_flags { __u32 create_flags; };
struct kbase_ioctl_job_submit { __u64 addr; __u32 nr_atoms, stride; };
struct kbase_ioctl_get_gpuprops { __u64 buffer; __u32 size, flags; };
union kbase_ioctl_mem_alloc { struct { __u64 va_pages, commit_pages, extension, flags; } in; struct { __u64 flags, gpu_va; } out; };
union kbase_ioctl_mem_alloc_ex {
	struct { __u64 va_pages, commit_pages, extension, flags, fixed_address, extra[3]; } in;
	struct { __u64 flags, gpu_va; } out;
};
union kbase_ioctl_mem_query { struct { __u64 gpu_addr, query; } in; struct { __u64 value; } out; };
struct kbase_ioctl_mem_free { __u64 gpu_addr; };
struct kbase_ioctl_hwcnt_reader_setup { __u32 buffer_count, fe_bm, shader_bm, tiler_bm, mmu_l2_bm; };
struct kbase_ioctl_hwcnt_enable { __u64 dump_buffer; __u32 fe_bm, shader_bm, tiler_bm, mmu_l2_bm; };
struct kbase_ioctl_hwcnt_values { __u64 data; __u32 size, padding; };
struct kbase_ioctl_disjoint_query { __u32 counter; };
struct kbase_ioctl_get_ddk_version { __u64 version_buffer; __u32 size, padding; };
struct kbase_ioctl_mem_jit_init_10_2 { __u64 va_pages; };
struct kbase_ioctl_mem_jit_init_11_5 { __u64 va_pages; __u8 max_allocations, trim_level, group_id, padding[5]; };
struct kbase_ioctl_mem_jit_init { __u64 va_pages; __u8 max_allocations, trim_level, group_id, padding[5]; __u64 phys_pages; };
struct kbase_ioctl_mem_exec_init { __u64 va_pages; };
struct kbase_ioctl_mem_sync { __u64 handle, user_addr, size; __u8 type, padding[7]; };
union kbase_ioctl_mem_find_cpu_offset { struct { __u64 gpu_addr, cpu_addr, size; } in; struct { __u64 offset; } out; };
union kbase_ioctl_mem_find_gpu_start_and_offset { struct { __u64 gpu_addr, size; } in; struct { __u64 start, offset; } out; };
struct kbase_ioctl_get_context_id { __u32 id; };
struct kbase_ioctl_tlstream_acquire { __u32 flags; };
struct kbase_ioctl_mem_commit { __u64 gpu_addr, pages; };
union kbase_ioctl_mem_alias { struct { __u64 flags, stride, nents, aliasing_info; } in; struct { __u64 flags, gpu_va, va_pages; } out; };
union kbase_ioctl_mem_import { struct { __u64 flags, phandle; __u32 type, padding; } in; struct { __u64 flags, gpu_va, va_pages; } out; };
struct kbase_ioctl_mem_flags_change { __u64 gpu_va, flags, mask; };
struct kbase_ioctl_stream_create { char name[32]; };
struct kbase_ioctl_fence_validate { int fd; };
struct kbase_ioctl_mem_profile_add { __u64 buffer; __u32 len, padding; };
struct kbase_ioctl_soft_event_update { __u64 event; __u32 new_status, flags; };
struct kbase_ioctl_sticky_resource_map { __u64 count, address; };
struct kbase_ioctl_sticky_resource_unmap { __u64 count, address; };
union kbase_ioctl_get_cpu_gpu_timeinfo {
	struct { __u32 request_flags, paddings[7]; } in;
	struct { __u64 sec; __u32 nsec, padding; __u64 timestamp, cycle_counter; } out;
};
struct kbase_ioctl_cs_queue_register { __u64 buffer_gpu_addr; __u32 buffer_size; __u8 priority, padding[3]; };
struct kbase_ioctl_cs_queue_register_ex {
	__u64 buffer_gpu_addr; __u32 buffer_size; __u8 priority, padding[3];
	__u64 ex_offset_var_addr, ex_buffer_base; __u32 ex_buffer_size; __u8 ex_event_size, ex_event_state, ex_padding[2];
};
struct kbase_ioctl_cs_queue_terminate { __u64 buffer_gpu_addr; };
struct kbase_ioctl_cs_queue_kick { __u64 buffer_gpu_addr; };
union kbase_ioctl_cs_queue_bind {
	struct { __u64 buffer_gpu_addr; __u8 group_handle, csi_index, padding[6]; } in;
	struct { __u64 mmap_handle; } out;
};
union kbase_ioctl_cs_queue_group_create_1_6 {
	struct { __u64 tiler_mask, fragment_mask, compute_mask; __u8 cs_min, priority, tiler_max, fragment_max, compute_max, padding[3]; } in;
	struct { __u8 group_handle, padding[3]; __u32 group_uid; } out;
};
union kbase_ioctl_cs_queue_group_create {
	struct {
		__u64 tiler_mask, fragment_mask, compute_mask; __u8 cs_min, priority, tiler_max, fragment_max, compute_max, csi_handlers, padding[2];
		__u64 reserved;
	} in;
	struct { __u8 group_handle, padding[3]; __u32 group_uid; } out;
};
struct kbase_ioctl_cs_queue_group_term { __u8 group_handle, padding[7]; };
struct kbase_ioctl_kcpu_queue_new { __u8 id, padding[7]; };
struct kbase_ioctl_kcpu_queue_delete { __u8 id, padding[7]; };
struct kbase_ioctl_kcpu_queue_enqueue { __u64 addr; __u32 nr_commands; __u8 id, padding[3]; };
union kbase_ioctl_cs_tiler_heap_init_1_13 {
	struct { __u32 chunk_size, initial_chunks, max_chunks; __u16 target_in_flight; __u8 group_id, padding; } in;
	struct { __u64 gpu_heap_va, first_chunk_va; } out;
};
union kbase_ioctl_cs_tiler_heap_init {
	struct { __u32 chunk_size, initial_chunks, max_chunks; __u16 target_in_flight; __u8 group_id, padding; __u64 buf_desc_va; } in;
	struct { __u64 gpu_heap_va, first_chunk_va; } out;
};
struct kbase_ioctl_cs_tiler_heap_term { __u64 gpu_heap_va; };
union kbase_ioctl_cs_get_glb_iface {
	struct { __u32 max_group_num, max_total_stream_num; __u64 groups_ptr, streams_ptr; } in;
	struct { __u32 glb_version, features, group_num, prfcnt_size, total_stream_num, instr_features; } out;
};
struct kbase_ioctl_cs_cpu_queue_info { __u64 buffer, size; };
struct kbase_ioctl_context_priority_check { __u8 priority; };
struct kbase_ioctl_set_limited_core_count { __u8 max_core_count; };
struct kbase_ioctl_kinstr_prfcnt_enum_info { __u32 info_item_size, info_item_count; __u64 info_list_ptr; };
union kbase_ioctl_kinstr_prfcnt_setup {
	struct { __u32 request_item_count, request_item_size; __u64 requests_ptr; } in;
	struct { __u32 prfcnt_metadata_item_size, prfcnt_mmap_size_bytes; } out;
};
union kbase_ioctl_read_user_page { struct { __u32 offset, padding; } in; struct { __u32 val_lo, val_hi; } out; };
struct kbase_ioctl_buffer_liveness_update {
	__u64 live_ranges_address, live_ranges_count, buffer_va_address, buffer_sizes_address, buffer_count;
};
struct kbase_hwcnt_reader_metadata { __u64 timestamp; __u32 event_id, buffer_idx; };
struct kbase_hwcnt_reader_metadata_with_cycles { __u64 timestamp; __u32 event_id, buffer_idx; struct { __u64 top, shader_cores; } cycles; };
struct prfcnt_control_cmd { __u16 cmd, padding[3]; __u64 user_data; };
struct prfcnt_sample_access { __u64 sequence, sample_offset_bytes; };

#define KBASE_IOCTL_VERSION_CHECK KBASE_BOTH(0, struct kbase_ioctl_version_check)
#define KBASE_IOCTL_SET_FLAGS KBASE_IN(1, struct kbase_ioctl_set_flags)
#define KBASE_IOCTL_JOB_SUBMIT KBASE_IN(2, struct kbase_ioctl_job_submit)
#define KBASE_IOCTL_GET_GPUPROPS KBASE_IN(3, struct kbase_ioctl_get_gpuprops)
#define KBASE_IOCTL_POST_TERM KBASE(4)
#define KBASE_IOCTL_MEM_ALLOC KBASE_BOTH(5, union kbase_ioctl_mem_alloc)
#define KBASE_IOCTL_MEM_QUERY KBASE_BOTH(6, union kbase_ioctl_mem_query)
#define KBASE_IOCTL_MEM_FREE KBASE_IN(7, struct kbase_ioctl_mem_free)
#define KBASE_IOCTL_HWCNT_READER_SETUP KBASE_IN(8, struct kbase_ioctl_hwcnt_reader_setup)
#define KBASE_IOCTL_HWCNT_ENABLE KBASE_IN(9, struct kbase_ioctl_hwcnt_enable)
#define KBASE_IOCTL_HWCNT_DUMP KBASE(10)
#define KBASE_IOCTL_HWCNT_CLEAR KBASE(11)
#define KBASE_IOCTL_DISJOINT_QUERY KBASE_OUT(12, struct kbase_ioctl_disjoint_query)
#define KBASE_IOCTL_GET_DDK_VERSION KBASE_IN(13, struct kbase_ioctl_get_ddk_version)
#define KBASE_IOCTL_MEM_JIT_INIT_10_2 KBASE_IN(14, struct kbase_ioctl_mem_jit_init_10_2)
#define KBASE_IOCTL_MEM_JIT_INIT_11_5 KBASE_IN(14, struct kbase_ioctl_mem_jit_init_11_5)
#define KBASE_IOCTL_MEM_JIT_INIT KBASE_IN(14, struct kbase_ioctl_mem_jit_init)
#define KBASE_IOCTL_MEM_SYNC KBASE_IN(15, struct kbase_ioctl_mem_sync)
#define KBASE_IOCTL_MEM_FIND_CPU_OFFSET KBASE_BOTH(16, union kbase_ioctl_mem_find_cpu_offset)
#define KBASE_IOCTL_GET_CONTEXT_ID KBASE_OUT(17, struct kbase_ioctl_get_context_id)
#define KBASE_IOCTL_TLSTREAM_ACQUIRE KBASE_IN(18, struct kbase_ioctl_tlstream_acquire)
#define KBASE_IOCTL_TLSTREAM_FLUSH KBASE(19)
#define KBASE_IOCTL_MEM_COMMIT KBASE_IN(20, struct kbase_ioctl_mem_commit)
#define KBASE_IOCTL_MEM_ALIAS KBASE_BOTH(21, union kbase_ioctl_mem_alias)
#define KBASE_IOCTL_MEM_IMPORT KBASE_BOTH(22, union kbase_ioctl_mem_import)
#define KBASE_IOCTL_MEM_FLAGS_CHANGE KBASE_IN(23, struct kbase_ioctl_mem_flags_change)
#define KBASE_IOCTL_STREAM_CREATE KBASE_IN(24, struct kbase_ioctl_stream_create)
#define KBASE_IOCTL_FENCE_VALIDATE KBASE_IN(25, struct kbase_ioctl_fence_validate)
#define KBASE_IOCTL_MEM_PROFILE_ADD KBASE_IN(27, struct kbase_ioctl_mem_profile_add)
#define KBASE_IOCTL_SOFT_EVENT_UPDATE KBASE_IN(28, struct kbase_ioctl_soft_event_update)
#define KBASE_IOCTL_STICKY_RESOURCE_MAP KBASE_IN(29, struct kbase_ioctl_sticky_resource_map)
#define KBASE_IOCTL_STICKY_RESOURCE_UNMAP KBASE_IN(30, struct kbase_ioctl_sticky_resource_unmap)
#define KBASE_IOCTL_MEM_FIND_GPU_START_AND_OFFSET KBASE_BOTH(31, union kbase_ioctl_mem_find_gpu_start_and_offset)
#define KBASE_IOCTL_HWCNT_SET KBASE_IN(32, struct kbase_ioctl_hwcnt_values)
#define KBASE_IOCTL_CS_QUEUE_REGISTER KBASE_IN(36, struct kbase_ioctl_cs_queue_register)
#define KBASE_IOCTL_CS_QUEUE_KICK KBASE_IN(37, struct kbase_ioctl_cs_queue_kick)
#define KBASE_IOCTL_MEM_EXEC_INIT KBASE_IN(38, struct kbase_ioctl_mem_exec_init)
#define KBASE_IOCTL_CS_QUEUE_BIND KBASE_BOTH(39, union kbase_ioctl_cs_queue_bind)
#define KBASE_IOCTL_CS_QUEUE_REGISTER_EX KBASE_IN(40, struct kbase_ioctl_cs_queue_register_ex)
#define KBASE_IOCTL_CS_QUEUE_TERMINATE KBASE_IN(41, struct kbase_ioctl_cs_queue_terminate)
#define KBASE_IOCTL_CS_QUEUE_GROUP_CREATE_1_6 KBASE_BOTH(42, union kbase_ioctl_cs_queue_group_create_1_6)
#define KBASE_IOCTL_CS_QUEUE_GROUP_TERMINATE KBASE_IN(43, struct kbase_ioctl_cs_queue_group_term)
#define KBASE_IOCTL_CS_EVENT_SIGNAL KBASE(44)
#define KBASE_IOCTL_KCPU_QUEUE_CREATE KBASE_OUT(45, struct kbase_ioctl_kcpu_queue_new)
#define KBASE_IOCTL_KCPU_QUEUE_DELETE KBASE_IN(46, struct kbase_ioctl_kcpu_queue_delete)
#define KBASE_IOCTL_KCPU_QUEUE_ENQUEUE KBASE_IN(47, struct kbase_ioctl_kcpu_queue_enqueue)
#define KBASE_IOCTL_CS_TILER_HEAP_INIT KBASE_BOTH(48, union kbase_ioctl_cs_tiler_heap_init)
#define KBASE_IOCTL_CS_TILER_HEAP_INIT_1_13 KBASE_BOTH(48, union kbase_ioctl_cs_tiler_heap_init_1_13)
#define KBASE_IOCTL_CS_TILER_HEAP_TERM KBASE_IN(49, struct kbase_ioctl_cs_tiler_heap_term)
#define KBASE_IOCTL_GET_CPU_GPU_TIMEINFO KBASE_BOTH(50, union kbase_ioctl_get_cpu_gpu_timeinfo)
#define KBASE_IOCTL_CS_GET_GLB_IFACE KBASE_BOTH(51, union kbase_ioctl_cs_get_glb_iface)
#define KBASE_IOCTL_CS_CPU_QUEUE_DUMP KBASE_IN(53, struct kbase_ioctl_cs_cpu_queue_info)
#define KBASE_IOCTL_CONTEXT_PRIORITY_CHECK KBASE_BOTH(54, struct kbase_ioctl_context_priority_check)
#define KBASE_IOCTL_SET_LIMITED_CORE_COUNT KBASE_IN(55, struct kbase_ioctl_set_limited_core_count)
#define KBASE_IOCTL_KINSTR_PRFCNT_ENUM_INFO KBASE_BOTH(56, struct kbase_ioctl_kinstr_prfcnt_enum_info)
#define KBASE_IOCTL_KINSTR_PRFCNT_SETUP KBASE_BOTH(57, union kbase_ioctl_kinstr_prfcnt_setup)
#define KBASE_IOCTL_CS_QUEUE_GROUP_CREATE KBASE_BOTH(58, union kbase_ioctl_cs_queue_group_create)
#define KBASE_IOCTL_MEM_ALLOC_EX KBASE_BOTH(59, union kbase_ioctl_mem_alloc_ex)
#define KBASE_IOCTL_READ_USER_PAGE KBASE_BOTH(60, union kbase_ioctl_read_user_page)
#define KBASE_IOCTL_BUFFER_LIVENESS_UPDATE KBASE_IN(67, struct kbase_ioctl_buffer_liveness_update)
#define KBASE_HWCNT_READER_GET_HWVER HWCNT_OUT(0x00, __u32)
#define KBASE_HWCNT_READER_GET_BUFFER_SIZE HWCNT_OUT(0x01, __u32)
#define KBASE_HWCNT_READER_DUMP HWCNT_IN(0x10, __u32)
#define KBASE_HWCNT_READER_CLEAR HWCNT_IN(0x11, __u32)
#define KBASE_HWCNT_READER_GET_BUFFER HWCNT_OUT(0x20, struct kbase_hwcnt_reader_metadata)
#define KBASE_HWCNT_READER_GET_BUFFER_WITH_CYCLES HWCNT_OUT(0x20, struct kbase_hwcnt_reader_metadata_with_cycles)
#define KBASE_HWCNT_READER_PUT_BUFFER HWCNT_IN(0x21, struct kbase_hwcnt_reader_metadata)
#define KBASE_HWCNT_READER_PUT_BUFFER_WITH_CYCLES HWCNT_IN(0x21, struct kbase_hwcnt_reader_metadata_with_cycles)
#define KBASE_HWCNT_READER_SET_INTERVAL HWCNT_IN(0x30, __u32)
#define KBASE_HWCNT_READER_ENABLE_EVENT HWCNT_IN(0x40, __u32)
#define KBASE_HWCNT_READER_DISABLE_EVENT HWCNT_IN(0x41, __u32)
#define KBASE_HWCNT_READER_GET_API_VERSION HWCNT_IN(0xff, __u32)
#define KBASE_IOCTL_KINSTR_PRFCNT_CMD _IOW(0xbf, 0, struct prfcnt_control_cmd)
#define KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE _IOR(0xbf, 1, struct prfcnt_sample_access)
#define KBASE_IOCTL_KINSTR_PRFCNT_PUT_SAMPLE _IOW(0xbf, 16, struct prfcnt_sample_access)
