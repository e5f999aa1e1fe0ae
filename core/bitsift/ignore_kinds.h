/* ignore_kinds.h: the kinds of ignore files. Part of the public interface; see bitsift.h. */
#ifndef BITSIFT_IGNORE_KINDS_H
#define BITSIFT_IGNORE_KINDS_H

/* Kinds of ignore files. */
#define BS_WALK_NO_DOT     1u  /* .ignore; as rg has it, .rgignore is still read */
#define BS_WALK_NO_VCS     2u  /* .gitignore */
#define BS_WALK_NO_EXCLUDE 4u  /* .git/info/exclude */
#define BS_WALK_NO_GLOBAL  8u  /* git's global excludes */
#define BS_WALK_NO_PARENT  16u /* those of the folders above the one named */

#endif
