import { drawThumb } from './images.ts'

/** Milliseconds that a video may take to show its first picture: one without any would be waited for without end. */
const FIRST_FRAME_TIMEOUT_MS = 5_000

export interface Video {
  width: number
  height: number
  /** Its first picture. */
  thumb: Blob | null
}

/** Measures a video and draws its first picture; null when this browser can't play it as one. */
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
      // Without a poster it is still a video.
      () => null,
    )
    return { width, height, thumb }
  } finally {
    // An element that holds a source goes on reading it.
    video.removeAttribute('src')
    video.load()
    URL.revokeObjectURL(url)
  }
}

/** Whether the first picture came. */
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
