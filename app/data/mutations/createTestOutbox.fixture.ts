import type { CommandName } from '../../../wire/commands.ts'
import type { Message } from '../../../wire/messages.ts'
import type { Failure, Outcome } from '../failures/failures.ts'
import { buildBootstrap, buildChannelEntry, buildPage, LOBBY } from '../store/buildRows.fixture.ts'
import type { MutationResult } from './execution.ts'
import type { UploadResult, UploadControl } from './uploads/fileUploads.ts'
import type { Mutation, OutboxFile, MutationInput } from './mutation.ts'
import { EMPTY_SNAPSHOT } from '../store/requestSnapshot.ts'
import { createOutbox } from './outbox.ts'
import { saveDraft } from './saveDraft.ts'
import { createTestTimers } from '../sync/createTestTimers.fixture.ts'
import type { Ports } from '../sync/ports.ts'
import { createStore } from '../store/store.ts'

/** A failure after which the request is repeated. */
export const temporaryFailure: Failure = { name: 'network', message: '', isRetryable: true }
/** A permanent failure. */
export const rejection: Failure = { name: 'not_a_member', message: '', isRetryable: false }
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

/** Storage that several tabs share. */
export interface TestStorage {
  mutations: readonly Mutation[]
  /** A change completes after this promise. */
  stored?: Promise<void>
}

/** An outbox whose server and clock the test controls. */
export function createTestOutbox(
  storage: TestStorage = { mutations: [] },
  isLeader = () => true,
  upload: (file: OutboxFile, how: UploadControl) => Promise<UploadResult> = async () => ({
    ok: true,
    value: undefined,
  }),
) {
  const requests: {
    name: CommandName
    args: { id?: string }
    respond: (outcome: Outcome<unknown>) => void
  }[] = []
  const timers = createTestTimers(1_000)
  const store = createStore()
  store.dispatch({
    type: 'bootstrapReceived',
    response: buildBootstrap([buildChannelEntry()]),
    snapshot: EMPTY_SNAPSHOT,
  })
  store.dispatch({ type: 'pageReceived', page: buildPage(1, 10), request: {} })
  let ids = 0
  const rejections: Failure[] = []
  const uploads: string[] = []
  const abandoned: string[] = []
  const saved: string[] = []
  /** Result of saving preferences and sections. */
  const save: { result: Outcome<MutationResult> } = { result: { ok: false, failure: temporaryFailure } }
  const call: Ports['call'] = (name, args) =>
    new Promise((resolve) => {
      requests.push({
        name,
        args: args as { id?: string },
        respond: resolve as (outcome: Outcome<unknown>) => void,
      })
    })
  const outbox = createOutbox(store, {
    call,
    after: timers.after,
    random: () => 0.5,
    clock: timers.clock,
    uuid: () => `id ${(ids += 1)}`,
    storage: {
      all: async () => storage.mutations,
      change: async (how) => {
        await storage.stored
        storage.mutations = how(storage.mutations)
        return storage.mutations
      },
    },
    upload: async (_channel, one, how) => {
      uploads.push(one.id)
      return upload(one, how)
    },
    saveOwnRow: async (mutation) => {
      saved.push(mutation.id)
      return save.result
    },
    saveDraft: (mutation) => saveDraft(mutation, call),
    abandon: (url) => abandoned.push(url),
    isLeader,
    announce: () => {},
    onRejected: (failure) => rejections.push(failure),
  })
  const settle = async () => {
    // Loaded with the first file.
    await import('./uploads/fileUploads.ts')
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0)
    })
  }
  const put = async (input: MutationInput) => {
    await outbox.put(input)
    await settle()
  }
  const content = { channel: LOBBY, threadRoot: null, alsoToChannel: false, createdAt: '' }
  const send = (id: string, files: OutboxFile[] = []) =>
    put({ kind: 'send', id, body: id, files, ...content })
  const edit = (id: string, message: string, body: string) =>
    put({ kind: 'edit', id, message, body, files: [], ...content })
  const accept = async (message: Message) => {
    requests.shift()?.respond({ ok: true, value: { message, epoch: 1 } })
    await settle()
  }
  const refuse = async (failure: Failure) => {
    requests.shift()?.respond({ ok: false, failure })
    await settle()
  }
  const advanceClock = async (ms: number) => {
    timers.advance(ms)
    await settle()
  }
  const names = () => requests.map((one) => `${one.name} ${one.args.id}`)
  return {
    outbox,
    store,
    storage,
    requests,
    names,
    put,
    send,
    edit,
    settle,
    accept,
    refuse,
    advanceTime: advanceClock,
    rejections,
    uploads,
    abandoned,
    saved,
    save,
  }
}
