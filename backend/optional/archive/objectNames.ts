import type { ArchiveFile } from './ArchiveRow.ts'

const objectNames = {
  files: /^([0-9a-f-]{36})\/[0-9a-f-]{36}\/(file|thumb)$/,
  avatars: /^([0-9a-f-]{36})\/[A-Za-z0-9._-]{1,100}$/,
} as const

/** The id of the channel, profile or workspace to which an object belongs by its name; null for a name that no object has. */
export const ownerOfObject = (bucket: ArchiveFile['bucket'], name: string): string | null =>
  objectNames[bucket].exec(name)?.[1] ?? null
