import type { Uuid } from '../../wire/linnet.ts'
import type { Outcome } from './failures.ts'

/** A file made ready on this device: pictures measured, stripped of location data, with a thumbnail. */
export interface PreparedFile {
  id: Uuid
  name: string
  type: string
  /** Bytes. */
  size: number
  width: number | null
  height: number | null
  blob: Blob
  thumb: Blob | null
}
/** Reads, measures and cleans a picked file. Refuses what is too large, with a sentence. */
export declare function prepareFile(file: File): Promise<Outcome<PreparedFile>>

export interface FileUrl {
  /** An object URL, valid while mounted. */
  url: string | null
  status: 'loading' | 'ready' | 'failed'
}
/**
 * The bytes, fetched with one's own token: nothing is signed, so a file ends with membership.
 * Null ids fetch nothing (for lazy use).
 */
export declare function useFileUrl(
  channelId: Uuid,
  attachmentId: Uuid | null,
  what: 'file' | 'thumb',
): FileUrl
/** Fetches and saves under its shown name. */
export declare function downloadFile(channelId: Uuid, attachmentId: Uuid, name: string): Promise<Outcome>
