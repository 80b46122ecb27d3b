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
