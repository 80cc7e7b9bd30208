/* The FileDescriptorSet of proto/, made by protoc at build time (CMakeLists.txt). */
    .section .rodata
    .global cuzk_descriptors
    .hidden cuzk_descriptors
cuzk_descriptors:
    .incbin CUZK_DESCRIPTORS
    .global cuzk_descriptors_end
    .hidden cuzk_descriptors_end
cuzk_descriptors_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
