import type { FileList, ListedFile } from '../../../../wire/files.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { isShallowEqual } from '../../hooks/memoize.ts'

/** The loaded beginning of a list, without gaps. */
export type LoadedFiles = FileList

/** Key of an entry: an upload may be attached to several messages. */
export function keyOf({ message_id: message, file }: ListedFile): string {
  return `${message} ${file.id}`
}

/** Appends the next page. */
export function withOlder(pages: LoadedFiles, page: FileList): LoadedFiles {
  const known = new Set(pages.files.map(keyOf))
  return {
    files: [...pages.files, ...page.files.filter((file) => !known.has(keyOf(file)))],
    before: page.before,
  }
}

/**
 * Replaces the beginning of the list by its current first page. Files after it stay if its last file is listed; else
 * there may be a gap.
 */
export function withHead(pages: LoadedFiles, page: FileList): LoadedFiles {
  const last = page.files.at(-1)
  const at = last ? pages.files.findIndex((file) => keyOf(file) === keyOf(last)) : -1
  if (page.before === null || at < 0) return reuseUnchanged(pages, page)
  return reuseUnchanged(pages, { files: [...page.files, ...pages.files.slice(at + 1)], before: pages.before })
}

/** Removes files; the same object if none is listed. */
export function withoutFiles(pages: LoadedFiles, isDeleted: (file: ListedFile) => boolean): LoadedFiles {
  return pages.files.some(isDeleted)
    ? { ...pages, files: pages.files.filter((file) => !isDeleted(file)) }
    : pages
}

/** `now` with the unchanged objects of `before`, so that their rows are not rendered again. */
export function reuseUnchanged(before: LoadedFiles, now: LoadedFiles): LoadedFiles {
  const known = new Map(before.files.map((file) => [keyOf(file), file]))
  return {
    ...now,
    files: now.files.map((file) => {
      const earlier = known.get(keyOf(file))
      return earlier &&
        isShallowEqual({ ...earlier, file: null }, { ...file, file: null }) &&
        isShallowEqual(earlier.file, file.file)
        ? earlier
        : file
    }),
  }
}

/** Whether the message has files in the list. */
export function includesMessage(pages: LoadedFiles, message: Uuid): boolean {
  return pages.files.some((file) => file.message_id === message)
}
