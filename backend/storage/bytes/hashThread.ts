import { Worker } from 'node:worker_threads'

/** Bytes sent to the thread in one message, and the maximum number of such blocks for each file. */
const blockSize = 256 * 1024
const maxBlocks = 4

/** The thread is terminated after this idle time, which frees its memory. */
const idleTimeoutMs = 10_000

/** Acknowledges each block with the number of its file, and the end with the hash; a length of -1 is the end, -2 an abort. */
const source = `
  const { parentPort } = require('node:worker_threads')
  const { createHash } = require('node:crypto')
  const open = new Map()
  parentPort.on('message', ([id, length, block]) => {
    if (length === -2) return void open.delete(id)
    let hash = open.get(id)
    if (!hash) open.set(id, (hash = createHash('md5')))
    if (length >= 0) {
      hash.update(new Uint8Array(block, 0, length))
      parentPort.postMessage([id])
    } else {
      open.delete(id)
      parentPort.postMessage([id, hash.digest('hex')])
    }
  })`

interface HashCallbacks {
  blockDone(): void
  sum(hex: string): void
  fail(error: Error): void
}

interface Thread {
  worker: Worker
  /** Callbacks of the files being hashed, by number. */
  files: Map<number, HashCallbacks>
}

let thread: Thread | null = null
let idle: NodeJS.Timeout | undefined
let last = 0

function start(): Thread {
  const files = new Map<number, HashCallbacks>()
  const worker = new Worker(source, { eval: true })
  const started = { worker, files }
  worker.on('message', ([id, sum]: [number, string?]) => {
    const file = files.get(id)
    if (sum === undefined) file?.blockDone()
    else file?.sum(sum)
  })
  worker.on('error', (error: Error) => {
    if (thread === started) thread = null
    for (const file of files.values()) file.fail(error)
    files.clear()
  })
  return started
}

function register(id: number, answers: HashCallbacks): Thread {
  clearTimeout(idle)
  thread ??= start()
  thread.worker.ref()
  thread.files.set(id, answers)
  return thread
}

function unregister({ worker, files }: Thread, id: number): void {
  files.delete(id)
  if (files.size > 0 || thread?.worker !== worker) return
  // The idle thread must not keep the process alive.
  worker.unref()
  clearTimeout(idle)
  idle = setTimeout(() => {
    thread = null
    void worker.terminate()
  }, idleTimeoutMs).unref()
}

/** A hash that is computed in the thread while bytes arrive. `digest` or `abandon` is called once, at the end. */
export interface ThreadHash {
  /** Copies the bytes; resolves when more may be added. */
  update(chunk: Uint8Array): Promise<void>
  /** In hexadecimal digits. */
  digest(): Promise<string>
  abandon(): void
}

/** Starts an MD5 in the thread, which is started with the first one. All methods throw the error of the thread. */
export function openThreadHash(): ThreadHash {
  const id = ++last
  const freeBlocks: Buffer[] = []
  const sentBlocks: Buffer[] = []
  let allocated = 0
  let block: Buffer | null = null
  let filled = 0
  const state: { sum?: string; failure?: Error } = {}
  let wake = (): void => {}
  const registered = register(id, {
    blockDone() {
      freeBlocks.push(sentBlocks.shift()!)
      wake()
    },
    sum(hex) {
      state.sum = hex
      wake()
    },
    fail(error) {
      state.failure = error
      wake()
    },
  })

  const nextMessage = async (): Promise<void> => {
    if (!state.failure) await new Promise<void>((resolve) => (wake = resolve))
    if (state.failure) throw state.failure
  }
  const post = (length: number, bytes?: Buffer): void => {
    // The rule is for windows; a thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    registered.worker.postMessage([id, length, bytes?.buffer])
  }
  const takeBlock = async (): Promise<Buffer> => {
    if (freeBlocks.length === 0 && allocated < maxBlocks) {
      allocated++
      return Buffer.from(new SharedArrayBuffer(blockSize))
    }
    while (freeBlocks.length === 0) await nextMessage()
    return freeBlocks.pop()!
  }
  const sendBlock = (): void => {
    if (!block) return
    sentBlocks.push(block)
    post(filled, block)
    block = null
    filled = 0
  }

  return {
    async update(chunk) {
      for (let from = 0; from < chunk.length;) {
        block ??= await takeBlock()
        const part = chunk.subarray(from, from + blockSize - filled)
        block.set(part, filled)
        filled += part.length
        from += part.length
        if (filled === blockSize) sendBlock()
      }
    },
    async digest() {
      try {
        sendBlock()
        post(-1)
        while (state.sum === undefined) await nextMessage()
        return state.sum
      } finally {
        unregister(registered, id)
      }
    },
    abandon() {
      post(-2)
      unregister(registered, id)
    },
  }
}
