import type { Uuid } from '../../../wire/linnet.ts'
import { nameOf } from './doing.ts'
import type { Deeds, Doing } from './doing.ts'

const WORDS = ['tide', 'rope', 'anchor', 'привет', '港', 'lunch?', 'on my way', 'harbour']
/** Milliseconds in which a deletion can be called off. */
const UNDO_FOR = 7_000
const EMOJI = ['👍', '🎉', '👀']

async function send(doing: Doing, root: Uuid | null): Promise<string> {
  const { scene, tab, chance, channel, people } = doing
  const id = chance.uuid()
  const called = chance.happens(0.15) ? chance.pick(people)?.profile.id : undefined
  const everyone = chance.happens(0.03) ? ' <!channel>' : ''
  const body = `${chance.pick(WORDS)} ${id.slice(0, 3)}${called ? ` <@${called}>` : ''}${everyone}`
  const alsoToChannel = root !== null && chance.happens(0.3)
  // Nobody changes tabs faster than tabs tell each other.
  await scene.network.deliverPosts(tab.browser.tabs.map((one) => one.device))
  tab.browser.written.push({ id, channel, root, body, refused: false })
  await tab.outbox.put({
    kind: 'send',
    id,
    channel,
    threadRoot: root,
    alsoToChannel,
    body,
    files: [],
    createdAt: scene.network.clock.date(),
  })
  const where = root ? ` under ${root.slice(0, 4)}${alsoToChannel ? ', also to the channel' : ''}` : ''
  return `${tab.label} writes “${body}” in ${nameOf(doing)}${where}`
}

export const writing: Deeds = {
  writes: { often: 30, deed: (doing) => send(doing, null) },
  replies: {
    often: 12,
    deed: (doing) => {
      const root = doing.chance.pick(doing.live.filter((one) => one.thread_root === null))
      return root ? send(doing, root.id) : null
    },
  },
  edits: {
    often: 6,
    deed: async ({ scene, tab, chance, channel, live, people }) => {
      const message = chance.pick(live.filter((one) => one.author_id === tab.me()))
      if (!message) return null
      const called = chance.happens(0.2) ? ` <@${chance.pick(people)?.profile.id}>` : ''
      const body = `${chance.pick(WORDS)} mended ${chance.below(100)}${called}`
      const words = {
        threadRoot: message.thread_root,
        alsoToChannel: message.seq !== null,
        files: [],
        createdAt: scene.network.clock.date(),
      }
      await tab.outbox.put({ kind: 'edit', id: chance.uuid(), channel, message: message.id, body, ...words })
      return `${tab.label} edits “${message.body}” to “${body}”`
    },
  },
  deletes: {
    often: 4,
    deed: async ({ scene, tab, chance, channel, live }) => {
      const manages = tab.store.get().me?.role === 'owner' && chance.happens(0.3)
      const message = chance.pick(live.filter((one) => manages || one.author_id === tab.me()))
      if (!message) return null
      const notBefore = scene.network.clock.now() + UNDO_FOR
      await tab.outbox.put({ kind: 'delete', id: chance.uuid(), channel, message: message.id, notBefore })
      return `${tab.label} deletes “${message.body}”`
    },
  },
  reacts: {
    often: 12,
    deed: async ({ tab, chance, channel, live }) => {
      const message = chance.pick(live)
      const emoji = chance.pick(EMOJI)
      if (!message || emoji === undefined) return null
      const on = !message.reactions.some((one) => one.emoji === emoji && one.mine === true)
      await tab.outbox.put({ kind: 'react', id: chance.uuid(), channel, message: message.id, emoji, on })
      return `${tab.label} ${on ? 'puts' : 'takes'} ${emoji} ${on ? 'on' : 'from'} “${message.body}”`
    },
  },
  'undoes a deletion': {
    often: 2,
    deed: async ({ tab, chance }) => {
      const deletion = chance.pick(tab.outbox.deeds().filter((one) => one.kind === 'delete'))
      if (deletion?.kind !== 'delete') return null
      const undone = await tab.outbox.undoDelete(deletion.message)
      return `${tab.label} calls off a deletion${undone ? '' : ', too late'}`
    },
  },
  'tries refused words again': {
    often: 1.5,
    deed: async ({ tab, chance }) => {
      const item = chance.pick(tab.outbox.items().filter((one) => one.state === 'failed'))
      if (!item) return null
      await tab.outbox.retry(item.id)
      return `${tab.label} tries “${item.body}” again`
    },
  },
  'takes words back': {
    often: 1.5,
    deed: async ({ tab, chance }) => {
      const item = chance.pick(tab.outbox.items())
      if (!item) return null
      const taken = await tab.outbox.discard(item.id)
      if (taken?.kind === 'send') {
        const { browser } = tab
        browser.written = browser.written.filter((one) => one.id !== item.id)
        // A sister tab that led before may be asking still, and nobody can tell which of the two arrives first.
        if (browser.tabs.length === 1) browser.takenBack.push(item.id)
      }
      return `${tab.label} takes “${item.body}” back${taken ? '' : ', too late'}`
    },
  },
  pins: {
    often: 3,
    deed: ({ tab, chance, live }) => {
      const message = chance.pick(live)
      if (!message) return null
      const on = message.pinned_at === null
      tab.change('pin_message', { message: message.id, on })
      return `${tab.label} ${on ? 'pins' : 'unpins'} “${message.body}”`
    },
  },
}
