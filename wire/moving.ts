import type { Uuid } from './scalars.ts'

/** The names of responses of `/server/v1/exports` and `/server/v1/imports` that refuse a request. */
export type MovingRefusal =
  /** The server runs one export or import at a time. */
  | 'moving_busy'
  /** The disk of the server has too little space. */
  | 'moving_disk_full'
  /** The export does not exist, or is no longer stored. */
  | 'moving_not_found'
  /** The request is malformed. */
  | 'moving_invalid'

/** Body of a refusal. */
export interface MovingError {
  error: MovingRefusal
  message: string
}

/** Why an export or import has ended without a result. */
export type MovingFailure =
  /** The server was stopped meanwhile. */
  | 'interrupted'
  /** The disk of the server became full. */
  | 'disk_full'
  /** The command has ended with an error. Its sentence is in `reason`. */
  | 'command_failed'

/** An export of a workspace, which is stored for a day. */
export interface WorkspaceExport {
  id: Uuid
  state: 'running' | 'done' | 'failed'
  startedAt: string
  /** The bytes of rows and files that have been read, or the size of the archive once the export is done. */
  bytes: number
  /** The bytes of the files of the workspace, for an estimate. */
  storedBytes: number
  /** What the archive contains; null until the export is done. */
  result: ExportResult | null
  failure: MovingFailure | null
  /** The sentence of the command, in English; empty without one. */
  reason: string
  /** When the archive is deleted; null until the export is done. */
  expiresAt: string | null
}

/** What `linnet export` prints with `--output json`. */
export interface ExportResult {
  rows: number
  files: number
  /** Files that messages refer to and the storage service does not have. */
  missingFiles: number
}

/** Response to `GET /server/v1/exports`. */
export interface WorkspaceExports {
  export: WorkspaceExport | null
  /** Whether the server runs an export or import, possibly of another workspace. */
  isBusy: boolean
}

/** Response to `POST /server/v1/exports/:id/link`. */
export interface ExportLink {
  /** The path and query of the archive on the same server. It is valid for 15 minutes. */
  path: string
}

/** A product whose exports can be imported. */
export interface ImportProduct {
  product: string
  /** The name of the product, as people know it. */
  label: string
  /** Options with a fixed set of values. */
  options: { name: string; help: string; choices: readonly string[] }[]
}

/** What becomes of the people and channels of an export, by their keys. */
export interface MovingChoices {
  /** The profiles of members. */
  people?: Record<string, Uuid>
  channels?: Record<string, { isLeftOut?: boolean; name?: string; kind?: 'public' | 'private' }>
}

/** Body of `POST /server/v1/imports/:id/preview`. */
export interface PreviewImport {
  workspace: Uuid
  product: string
  /** Values by the names of the options of the product. */
  options?: Record<string, string>
}

/** Body of `POST /server/v1/imports/:id/start`. Without choices, it continues with the choices of the earlier start. */
export interface StartImport {
  workspace: Uuid
  choices?: MovingChoices
  /** How the list of imports names the exported workspace, in at most 200 characters. Empty: as the export does. */
  name?: string
  /** Whether files behind links are fetched. */
  fetchesFiles?: boolean
}

/** An import of a workspace into this one, from the upload to its end. */
export interface WorkspaceImport {
  id: Uuid
  fileName: string
  /** The size of the file in bytes. */
  size: number
  uploadedBytes: number
  /**
   * `checking`: the preview is made. `ready`: there is a preview. `failed`: the preview has failed if `startedAt` is null, else the
   * import, which can continue.
   */
  state: 'uploading' | 'uploaded' | 'checking' | 'ready' | 'running' | 'done' | 'failed'
  product: string | null
  options: Record<string, string>
  fetchesFiles: boolean
  /** How the list of imports names the exported workspace; empty before the start, and if the owner has not changed it. */
  name: string
  /** The profile of the owner who started it. */
  startedBy: Uuid | null
  startedAt: string | null
  /** Messages that have been read or written. */
  messages: number
  /** Null if it is not known yet. */
  totalMessages: number | null
  failure: MovingFailure | null
  /** The sentence of the command, in English; empty without one. */
  reason: string
  /** When the file and the state are deleted. */
  expiresAt: string
}

/** Response to `GET /server/v1/imports`. */
export interface WorkspaceImports {
  import: WorkspaceImport | null
  /** Whether the server runs an export or import, possibly of another workspace. */
  isBusy: boolean
  products: ImportProduct[]
  /** The size of the largest file in bytes. */
  maxBytes: number
}

/** Response to `GET /server/v1/imports/:id/preview` and `…/receipt`: what an import would do, or has done. */
export interface ImportReport {
  /** The name of the exported workspace. */
  sourceName: string
  people: {
    matched: number
    imported: number
    list: { key: string; name: string; email: string; profileId: Uuid; isMatched: boolean }[]
  }
  channels: {
    channel: string
    name: string
    kind: 'public' | 'private' | 'direct' | 'group'
    read: number
    written: number
    present: number
    skipped: Record<string, number>
    files: number
    missingFileCount: number
  }[]
  renamed: { from: string; to: string }[]
  separateConversations: number
  /** The number of rows of each table. */
  rows: Record<string, number>
  /** The bytes of files that the import adds, and for which the quota of the workspace has room. */
  storage: { neededBytes: number; linkedBytes: number; freeBytes: number }
  linkedFiles: number
  /** Names of custom emoji that the workspace does not have. */
  customEmoji: Record<string, number>
  sharedChannels: string[]
  notes: Record<string, number>
}
