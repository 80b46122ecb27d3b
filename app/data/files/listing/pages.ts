import type { FileList, ListedFile } from '../../../../wire/files.ts'
import type { Uuid } from '../../../../wire/scalars.ts'
import { isShallowEqual } from '../../hooks/memoize.ts'

/** What is listed so far: a beginning of the list without holes. */
export type Pages = FileList

/** Names a place in the list: an upload may stand in several messages. */
export function keyOf({ message_id: message, file }: ListedFile): string {
  return `${message} ${file.id}`
}

/** The list with the page that goes on at its end. */
export function withOlder(pages: Pages, page: FileList): Pages {
  const known = new Set(pages.files.map(keyOf))
  return {
    files: [...pages.files, ...page.files.filter((one) => !known.has(keyOf(one)))],
    before: page.before,
  }
}

/**
 * The list with its beginning as it is now. What the new page covers is taken from it alone; what lies behind stays,
 * unless more came than a page holds: then there would be a hole.
 */
export function withHead(pages: Pages, page: FileList): Pages {
  const last = page.files.at(-1)
  const at = last ? pages.files.findIndex((one) => keyOf(one) === keyOf(last)) : -1
  if (page.before === null || at < 0) return reuseUnchanged(pages, page)
  return reuseUnchanged(pages, { files: [...page.files, ...pages.files.slice(at + 1)], before: pages.before })
}

/** The list without the files of messages that are gone; the same where none was listed. */
export function withoutFiles(pages: Pages, gone: (file: ListedFile) => boolean): Pages {
  return pages.files.some(gone) ? { ...pages, files: pages.files.filter((one) => !gone(one)) } : pages
}

/** `now`, with what is as it was before by identity, so that its rows aren't drawn again. */
export function reuseUnchanged(before: Pages, now: Pages): Pages {
  const known = new Map(before.files.map((one) => [keyOf(one), one]))
  return {
    ...now,
    files: now.files.map((one) => {
      const earlier = known.get(keyOf(one))
      return earlier &&
        isShallowEqual({ ...earlier, file: null }, { ...one, file: null }) &&
        isShallowEqual(earlier.file, one.file)
        ? earlier
        : one
    }),
  }
}

/** Whether the message has files in the list. */
export function includesMessage(pages: Pages, message: Uuid): boolean {
  return pages.files.some((one) => one.message_id === message)
}
