import { drawThumb } from './images.ts'

/** Timeout (ms) of the first frame, which some videos lack. */
const FIRST_FRAME_TIMEOUT_MS = 5_000

export interface Video {
  width: number
  height: number
  /** Its first frame. */
  thumb: Blob | null
}

/** Measures a video and draws its first frame; null if this browser can't play it. */
export async function measureVideo(blob: Blob): Promise<Video | null> {
  if (!blob.type.startsWith('video/')) return null
  const url = URL.createObjectURL(blob)
  const video = document.createElement('video')
  try {
    video.muted = true
    video.preload = 'auto'
    video.src = url
    if (!(await hasFirstFrame(video)) || !video.videoWidth || !video.videoHeight) return null
    const { videoWidth: width, videoHeight: height } = video
    const thumb = await createImageBitmap(video).then(
      (bitmap) => drawThumb(bitmap, 'image/jpeg').finally(() => bitmap.close()),
      // A video without a thumbnail.
      () => null,
    )
    return { width, height, thumb }
  } finally {
    // An element with a source would continue to load it.
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

/** Waits for the first frame; false if it can't be decoded or takes too long. */
function hasFirstFrame(video: HTMLVideoElement): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), FIRST_FRAME_TIMEOUT_MS)
    const end = (came: boolean) => () => {
      clearTimeout(timer)
      resolve(came)
    }
    video.addEventListener('loadeddata', end(true), { once: true })
    video.addEventListener('error', end(false), { once: true })
  })
}
