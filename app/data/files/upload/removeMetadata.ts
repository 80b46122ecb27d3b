import { sourceOfBlob } from '../../../../wire/media/ByteSource.ts'
import { findMetadata } from '../../../../wire/media/findMetadata.ts'
import { overwriteBlob } from '../../../../wire/media/Overwrites.ts'

export interface CleanFile {
  /** As long as the file, without the metadata; the file itself if nothing was removed. */
  blob: Blob
  /** False if the file may still contain the place where it was taken. */
  isComplete: boolean
}

/**
 * Removes the metadata about place and camera from a picture or video, without changing a pixel. The content of the file
 * decides, not its name or type. The function reads the result again, and returns the file unchanged if metadata is left.
 */
export async function removeMetadata(file: Blob, name = ''): Promise<CleanFile> {
  const declared = { name, type: file.type }
  const { overwrites, isComplete } = await findMetadata(sourceOfBlob(file), declared)
  if (overwrites.length === 0) return { blob: file, isComplete }
  const blob = overwriteBlob(file, overwrites)
  const left = await findMetadata(sourceOfBlob(blob), declared)
  return left.overwrites.length === 0 && left.isComplete === isComplete
    ? { blob, isComplete }
    : { blob: file, isComplete: false }
}
