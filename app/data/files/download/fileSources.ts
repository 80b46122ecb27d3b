import { attachedAddress } from '../../../worker/attachedFile.ts'
import { readBytes, readPreview } from './storage.ts'
import { createFileCache } from './fileCache.ts'
import { watchBytes, type Show } from './watchBytes.ts'
import { onClearFiles } from './clearFiles.ts'
import { endTransfers, onFileFailed, startServiceWorker } from '../../client/serviceWorker.ts'
import { saveByPage, saveByWorker } from './saveFile.ts'

const cache = createFileCache(readBytes)
const previews = createFileCache(readPreview)

onClearFiles(() => {
  cache.clear()
  previews.clear()
  endTransfers()
})

/** Shows a picture that is drawn small, held by this page, for it is shown again and again. Answers how to end that. */
export function watchPreview(path: string, show: Show): () => void {
  return watchBytes(previews, path, show)
}

/** Shows the worker's address where the worker serves this page, else the bytes. Answers how to end that. */
export function watchStream(path: string, name: string, show: Show): () => void {
  let stop = () => {}
  let gone = false
  void startServiceWorker().then((streams) => {
    if (gone) return
    stop = streams ? watchWorker(path, name, show) : watchBytes(cache, path, show)
  })
  return () => {
    gone = true
    stop()
  }
}

function watchWorker(path: string, name: string, show: Show): () => void {
  let round = 0
  let missed = false
  const look = () => show({ url: attachedAddress(path, { name, round }), status: 'ready' })
  const again = () => {
    if (!missed) return
    missed = false
    round += 1
    look()
  }
  const stop = onFileFailed(path, () => {
    missed = true
    show({ url: null, status: 'failed' })
  })
  addEventListener('online', again)
  look()
  return () => {
    removeEventListener('online', again)
    stop()
  }
}

/** Saves a file under its shown name: straight to the disk by the worker, else by this page's memory. */
export async function saveFile(path: string, name: string) {
  return (await startServiceWorker()) ? saveByWorker(path, name) : saveByPage(cache.acquire(path), name)
}
