import { attachedAddress } from '../../../worker/requestedFile.ts'
import { readBytes, readPreview } from '../storageClient.ts'
import { createFileCache } from './fileCache.ts'
import { watchBytes, type Show } from './watchBytes.ts'
import { onClearFiles } from './clearFiles.ts'
import { endTransfers, onFileFailed, startServiceWorker } from '../../client/startServiceWorker.ts'
import { saveByPage, saveByWorker } from './saveFile.ts'

const cache = createFileCache(readBytes)
const previews = createFileCache(readPreview)

onClearFiles(() => {
  cache.clear()
  previews.clear()
  endTransfers()
})

/** Loads a preview, which this page caches since previews are displayed repeatedly. Returns a function that ends it. */
export function watchPreview(path: string, show: Show): () => void {
  return watchBytes(previews, path, show)
}

/** Passes the service worker's URL if it controls this page, else an object URL. Returns a function that ends it. */
export function watchStream(path: string, name: string, show: Show): () => void {
  let stop = () => {}
  let isStopped = false
  void startServiceWorker().then((streams) => {
    if (isStopped) return
    stop = streams ? watchWorker(path, name, show) : watchBytes(cache, path, show)
  })
  return () => {
    isStopped = true
    stop()
  }
}

function watchWorker(path: string, name: string, show: Show): () => void {
  let attempt = 0
  let hasFailed = false
  const showUrl = () => show({ url: attachedAddress(path, { name, attempt }), status: 'ready' })
  const retry = () => {
    if (!hasFailed) return
    hasFailed = false
    attempt += 1
    showUrl()
  }
  const stop = onFileFailed(path, () => {
    hasFailed = true
    show({ url: null, status: 'failed' })
  })
  addEventListener('online', retry)
  showUrl()
  return () => {
    removeEventListener('online', retry)
    stop()
  }
}

/** Saves a file under its displayed name: the service worker streams it to the disk; without one, from memory. */
export async function saveFile(path: string, name: string) {
  return (await startServiceWorker()) ? saveByWorker(path, name) : saveByPage(cache.acquire(path), name)
}
