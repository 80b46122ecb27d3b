import { attachedAddress } from '../../../worker/attachedFile.ts'
import { readBytes, readGlance } from './storage.ts'
import { fileCache } from './fileCache.ts'
import { followBytes, type Show } from './watchBytes.ts'
import { onForgetFiles } from './clearFiles.ts'
import { endTransfers, onMissed, startServiceWorker } from '../../client/serviceWorker.ts'
import { saveByPage, saveByWorker } from './saveFile.ts'

const cache = fileCache(readBytes)
const glances = fileCache(readGlance)

onForgetFiles(() => {
  cache.clear()
  glances.clear()
  endTransfers()
})

/** Shows a picture that is drawn small, held by this page, for it is shown again and again. Answers how to end that. */
export function followGlance(path: string, show: Show): () => void {
  return followBytes(glances, path, show)
}

/** Shows the worker's address where the worker serves this page, else the bytes. Answers how to end that. */
export function followStream(path: string, name: string, show: Show): () => void {
  let stop = () => {}
  let gone = false
  void startServiceWorker().then((streams) => {
    if (gone) return
    stop = streams ? followWorker(path, name, show) : followBytes(cache, path, show)
  })
  return () => {
    gone = true
    stop()
  }
}

function followWorker(path: string, name: string, show: Show): () => void {
  let round = 0
  let missed = false
  const look = () => show({ url: attachedAddress(path, { name, round }), status: 'ready' })
  const again = () => {
    if (!missed) return
    missed = false
    round += 1
    look()
  }
  const stop = onMissed(path, () => {
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
  return (await startServiceWorker()) ? saveByWorker(path, name) : saveByPage(cache.hold(path), name)
}
