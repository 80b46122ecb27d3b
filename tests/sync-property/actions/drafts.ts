import { applyDraftMutations } from '../../../app/data/messages/draftFields.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { channelLabel } from './actionContext.ts'
import type { ActionTable, ActionContext } from './actionContext.ts'

const WORDS = ['ebb', 'flood', 'slack', 'surge']
/** Milliseconds that a draft waits for more key strokes. */
const SAVE_DELAY_MS = 2_000

/** The conversation or one of its threads, with the draft that its field shows and that of the server. */
function pickDraft({ tab, random, channel, live }: ActionContext) {
  const root = random.happens(0.3) ? random.pick(live.filter((one) => one.thread_root === null)) : undefined
  const threadRoot: Uuid | null = root?.id ?? null
  const conversation = threadRoot ?? channel
  const { drafts } = tab.store.get()
  return {
    conversation,
    threadRoot,
    row: drafts.get(conversation),
    text: applyDraftMutations(drafts, tab.outbox.mutations()).get(conversation)?.body ?? '',
  }
}

export const draftActions: ActionTable = {
  'types a draft': {
    weight: 8,
    run: async (context) => {
      const { simulation, tab, random, channel } = context
      const { conversation, threadRoot, row, text: before } = pickDraft(context)
      const word = random.pick(WORDS) ?? ''
      // A long draft is in no broadcast.
      const first = word.repeat(random.happens(0.1) ? 1_200 : 1)
      const text = random.happens(0.2) ? '' : before === '' ? first : `${before} ${word}`
      const notBefore = simulation.network.clock.now() + SAVE_DELAY_MS
      const base = row ? [row.change_id] : []
      const from = row?.body ?? ''
      const draft = { channel, conversation, threadRoot, text, quote: null, from, base, notBefore }
      await tab.outbox.put({ kind: 'draft', id: random.uuid(), ...draft })
      return `${tab.label} types “${text.slice(-50)}” in ${channelLabel(context)}${threadRoot ? ', in a thread' : ''}`
    },
  },
  'sends a draft': {
    weight: 4,
    run: async (context) => {
      const { simulation, tab, random, channel } = context
      const { threadRoot, row, text: body } = pickDraft(context)
      if (body === '') return null
      const id = random.uuid()
      await simulation.network.deliverTabMessages(tab.browser.tabs.map((one) => one.device))
      tab.browser.sentMessages.push({ id, channel, root: threadRoot, body, refused: false })
      await tab.outbox.put({
        kind: 'send',
        id,
        channel,
        threadRoot,
        alsoToChannel: false,
        body,
        files: [],
        drafts: row && row.body !== '' ? [row.change_id] : [],
        createdAt: simulation.network.clock.date(),
      })
      return `${tab.label} sends the draft “${body.slice(-50)}” in ${channelLabel(context)}`
    },
  },
}
