import type { Attachment } from '../../../../wire/linnet.ts'

/** Whether a file is drawn in place: a picture whose size is known, so that its place can be kept. */
export function isPicture(file: Pick<Attachment, 'type' | 'width' | 'height'>): boolean {
  return /^image\/(png|jpeg|gif|webp|avif)$/.test(file.type) && file.width !== null && file.height !== null
}

/** The place a picture takes, in pixels: its own proportions, within what a conversation bears. */
export function pictureBox(
  file: Pick<Attachment, 'width' | 'height'>,
  alone: boolean,
): { width: number; height: number } {
  const most = alone ? { width: 420, height: 340 } : { width: 240, height: 200 }
  const width = Math.max(1, file.width ?? 1)
  const height = Math.max(1, file.height ?? 1)
  const scale = Math.min(1, most.width / width, most.height / height)
  // A thin or tiny picture keeps a place wide enough for its name, and is drawn in the middle of it.
  return { width: Math.round(Math.max(160, width * scale)), height: Math.round(Math.max(48, height * scale)) }
}
