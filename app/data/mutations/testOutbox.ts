import type { CommandName, Message } from '../../../wire/linnet.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { buildBootstrap, buildEntry, buildPage, LOBBY } from '../store/buildRows.ts'
import type { DeedAnswer } from './executeMutation.ts'
import type { Uploaded, Uploading } from './uploads/fileUploads.ts'
import type { Deed, OutboxFile, Wish } from './mutation.ts'
import { NOTHING_KNOWN } from '../store/requestSnapshot.ts'
import { createOutbox } from './outbox.ts'
import { createStore } from '../store/store.ts'

/** A fault that passes. */
export const later: Failure = { name: 'network', sentence: '', again: true }
/** A refusal. */
export const never: Failure = { name: 'not_a_member', sentence: '', again: false }
export const file: OutboxFile = {
  id: 'file',
  name: 'tide.png',
  type: 'image/png',
  size: 3,
  width: null,
  height: null,
  blob: new Blob(['abc']),
  thumb: null,
  uploaded: false,
}

/** A device that pages share, and what it keeps. */
export interface Shelf {
  deeds: readonly Deed[]
  /** What a change waits for. */
  stored?: Promise<void>
}

/** An outbox whose server and clock do what the test says. */
export function outboxWorld(
  shelf: Shelf = { deeds: [] },
  leads = () => true,
  bring: (file: OutboxFile, how: Uploading) => Promise<Uploaded> = async () => ({
    ok: true,
    value: undefined,
  }),
) {
  const asked: { name: CommandName; args: { id?: string }; answer: (outcome: Outcome<unknown>) => void }[] =
    []
  let timers: { at: number; run: () => void }[] = []
  const store = createStore()
  store.dispatch({ type: 'bootstrapped', answer: buildBootstrap([buildEntry()]), known: NOTHING_KNOWN })
  store.dispatch({ type: 'pageGiven', page: buildPage(1, 10), asked: {} })
  let now = 1_000
  let ids = 0
  const mishaps: Failure[] = []
  const uploads: string[] = []
  const abandoned: string[] = []
  const saved: string[] = []
  /** What saving preferences and sections results in. */
  const save: { result: Outcome<DeedAnswer> } = { result: { ok: false, failure: later } }
  const outbox = createOutbox(store, {
    call: (name, args) =>
      new Promise((resolve) => {
        asked.push({
          name,
          args: args as { id?: string },
          answer: resolve as (outcome: Outcome<unknown>) => void,
        })
      }),
    after: (ms, run) => {
      const timer = { at: now + ms, run }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    random: () => 0.5,
    clock: () => now,
    uuid: () => `id ${(ids += 1)}`,
    shelf: {
      all: async () => shelf.deeds,
      change: async (how) => {
        await shelf.stored
        shelf.deeds = how(shelf.deeds)
        return shelf.deeds
      },
    },
    upload: async (_channel, one, how) => {
      uploads.push(one.id)
      return bring(one, how)
    },
    saveOwn: async (deed) => {
      saved.push(deed.id)
      return save.result
    },
    abandon: (url) => abandoned.push(url),
    leads,
    announce: () => {},
    mishap: (failure) => mishaps.push(failure),
  })
  const rest = async () => {
    // What uploads is loaded with the first file.
    await import('./uploads/fileUploads.ts')
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  }
  const put = async (wish: Wish) => {
    await outbox.put(wish)
    await rest()
  }
  const words = { channel: LOBBY, threadRoot: null, alsoToChannel: false, createdAt: '' }
  const send = (id: string, files: OutboxFile[] = []) => put({ kind: 'send', id, body: id, files, ...words })
  const edit = (id: string, message: string, body: string) =>
    put({ kind: 'edit', id, message, body, files: [], ...words })
  const accept = async (message: Message) => {
    asked.shift()?.answer({ ok: true, value: { message, epoch: 1 } })
    await rest()
  }
  const refuse = async (failure: Failure) => {
    asked.shift()?.answer({ ok: false, failure })
    await rest()
  }
  const pass = async (ms: number) => {
    now += ms
    const due = timers.filter((timer) => timer.at <= now)
    timers = timers.filter((timer) => timer.at > now)
    for (const timer of due) timer.run()
    await rest()
  }
  const names = () => asked.map((one) => `${one.name} ${one.args.id}`)
  return {
    outbox,
    store,
    shelf,
    asked,
    names,
    put,
    send,
    edit,
    rest,
    accept,
    refuse,
    pass,
    mishaps,
    uploads,
    abandoned,
    saved,
    save,
  }
}
