/** The version of the format. The import accepts this version only. */
export const formatVersion = 1
export const formatName = 'linnet-archive'

/** An entry of the archive besides the manifest. */
export interface ManifestEntry {
  path: string
  bytes: number
  sha256: string
}

/** `manifest.json`, the last entry of an archive. */
export interface Manifest {
  format: typeof formatName
  version: number
  /** The version of Linnet that has written the archive. */
  linnet: string
  createdAt: string
  /** `owner`: without the rows that owners of the workspace may not read. */
  scope: 'all' | 'owner'
  /** Whether it contains passwords, second factors, tokens and secrets. Absent: it does not. */
  credentials?: true
  workspace: { id: string; name: string }
  tables: (ManifestEntry & { table: string; rows: number })[]
  files: (ManifestEntry & { bucket: 'files' | 'avatars'; name: string; type: string })[]
  /** Files that messages refer to and the storage service does not have. */
  missingFiles: string[]
  otherEntries: ManifestEntry[]
  /** What the archive leaves behind, and what people do about it. The count is null in an export for owners. */
  leftBehind?: { what: string; becomes: string; count: number | null }[]
}
