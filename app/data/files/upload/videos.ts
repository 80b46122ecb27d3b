import { drawThumb } from './images.ts'

/** Milliseconds that a film may take to show its first picture: one without any would be waited for without end. */
const PATIENCE = 5_000

export interface Film {
  width: number
  height: number
  /** Its first picture. */
  thumb: Blob | null
}

/** Measures a film and draws its first picture; null when this browser can't play it as one. */
export async function measureFilm(blob: Blob): Promise<Film | null> {
  if (!blob.type.startsWith('video/')) return null
  const url = URL.createObjectURL(blob)
  const film = document.createElement('video')
  try {
    film.muted = true
    film.preload = 'auto'
    film.src = url
    if (!(await firstPicture(film)) || !film.videoWidth || !film.videoHeight) return null
    const { videoWidth: width, videoHeight: height } = film
    const thumb = await createImageBitmap(film).then(
      (bitmap) => drawThumb(bitmap, 'image/jpeg').finally(() => bitmap.close()),
      // Without a poster it is still a film.
      () => null,
    )
    return { width, height, thumb }
  } finally {
    // An element that holds a source goes on reading it.
    film.removeAttribute('src')
    film.load()
    URL.revokeObjectURL(url)
  }
}

/** Whether the first picture came. */
function firstPicture(film: HTMLVideoElement): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), PATIENCE)
    const end = (came: boolean) => () => {
      clearTimeout(timer)
      resolve(came)
    }
    film.addEventListener('loadeddata', end(true), { once: true })
    film.addEventListener('error', end(false), { once: true })
  })
}
