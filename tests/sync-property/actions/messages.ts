import type { ChannelEntry } from '../../../wire/channels.ts'
import { pollKey } from '../../../app/data/messages/reactionKeys.ts'
import { taskKey } from '../../../app/data/messages/taskKey.ts'
import type { MessageExtras } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { mentionUserGroup } from '../database/userGroups.ts'
import { channelLabel } from './actionContext.ts'
import type { ActionTable, ActionContext } from './actionContext.ts'

const WORDS = ['tide', 'rope', 'anchor', 'привет', '港', 'lunch?', 'on my way', 'harbour']
/** How long a deletion can be undone. */
const UNDO_MS = 7_000
const EMOJI = ['👍', '🎉', '👀']

async function send(
  context: ActionContext,
  root: Uuid | null,
  extras: MessageExtras | null = null,
): Promise<string> {
  const { simulation, tab, random, channel, people } = context
  const id = random.uuid()
  const mentioned = random.happens(0.15) ? random.pick(people)?.profile.id : undefined
  const everyone = random.happens(0.03) ? ' <!channel>' : ''
  const task = random.happens(0.1) ? '\n- [ ] task' : ''
  const names = `${mentioned ? ` <@${mentioned}>` : ''}${mentionUserGroup(id)}${everyone}`
  const body = `${random.pick(WORDS)} ${id.slice(0, 3)}${names}${task}`
  const alsoToChannel = root !== null && random.happens(0.3)
  // Nobody switches tabs faster than messages among tabs arrive.
  await simulation.network.deliverTabMessages(tab.browser.tabs.map((one) => one.device))
  tab.browser.sentMessages.push({ id, channel, root, body, refused: false })
  await tab.outbox.put({
    kind: 'send',
    id,
    channel,
    threadRoot: root,
    alsoToChannel,
    body,
    files: [],
    extras,
    createdAt: simulation.network.clock.date(),
  })
  const where = root ? ` under ${root.slice(0, 4)}${alsoToChannel ? ', also to the channel' : ''}` : ''
  return `${tab.label} writes “${body}” in ${channelLabel(context)}${where}`
}

export const messageActions: ActionTable = {
  writes: { weight: 30, run: (context) => send(context, null) },
  replies: {
    weight: 12,
    run: (context) => {
      const root = context.random.pick(context.live.filter((one) => one.thread_root === null))
      return root ? send(context, root.id) : null
    },
  },
  'starts a poll': {
    weight: 3,
    run: (context) => {
      const { random } = context
      const [multiple, anonymous] = [random.happens(0.5), random.happens(0.5)]
      return send(context, null, {
        poll: { options: ['tea', 'coffee', 'water'], multiple, anonymous, closes_at: null },
      })
    },
  },
  'votes or ticks': {
    weight: 10,
    run: async ({ tab, random, channel, live }) => {
      const message = random.pick(live.filter((one) => one.extras?.poll || one.body.includes('[ ]')))
      if (!message) return null
      const key = message.extras?.poll ? pollKey(random.below(3)) : taskKey('0 task')
      const on = random.happens(0.6)
      await tab.outbox.put({ kind: 'react', id: random.uuid(), channel, message: message.id, emoji: key, on })
      return `${tab.label} ${on ? 'sets' : 'removes'} ${key} on “${message.body}”`
    },
  },
  'closes a poll': {
    weight: 1,
    run: ({ tab, random, live }) => {
      const message = random.pick(live.filter((one) => one.extras?.poll && one.author_id === tab.me()))
      if (!message) return null
      tab.runAndApply('close_poll', { message: message.id })
      return `${tab.label} closes “${message.body}”`
    },
  },
  'moves a thread': {
    weight: 8,
    run: ({ tab, random, channel, live }) => {
      const isOpen = ({ entry }: { entry: ChannelEntry }) =>
        entry.member &&
        entry.channel.archived_at === null &&
        ['public', 'private'].includes(entry.channel.kind)
      const channels = [...tab.store.get().channels].filter(([, rows]) => isOpen(rows)).map(([id]) => id)
      const target = random.pick(channels.filter((id) => id !== channel))
      const message = random.pick(live.filter((one) => one.thread_root === null))
      if (!message || !target || !channels.includes(channel)) return null
      tab.runAndApply('move_thread', {
        id: random.uuid(),
        message: message.id,
        channel: target,
        accepted_readers: 99,
      })
      return `${tab.label} moves “${message.body}” to another channel`
    },
  },
  'is reached by retention': {
    weight: 1.5,
    run: async (context) => {
      const { simulation, random, channel } = context
      const count = 1 + random.below(6)
      await simulation.database.eraseOldest(channel, count)
      return `retention erases the ${count} oldest messages in ${channelLabel(context)}`
    },
  },
  edits: {
    weight: 6,
    run: async ({ simulation, tab, random, channel, live, people }) => {
      const message = random.pick(live.filter((one) => one.author_id === tab.me()))
      if (!message) return null
      const mentioned = random.happens(0.2) ? ` <@${random.pick(people)?.profile.id}>` : ''
      const body = `${random.pick(WORDS)} edited ${random.below(100)}${mentioned}`
      const words = {
        threadRoot: message.thread_root,
        alsoToChannel: message.seq !== null,
        files: [],
        createdAt: simulation.network.clock.date(),
      }
      await tab.outbox.put({ kind: 'edit', id: random.uuid(), channel, message: message.id, body, ...words })
      return `${tab.label} edits “${message.body}” to “${body}”`
    },
  },
  deletes: {
    weight: 4,
    run: async ({ simulation, tab, random, channel, live }) => {
      const manages = tab.store.get().me?.role === 'owner' && random.happens(0.3)
      const message = random.pick(live.filter((one) => manages || one.author_id === tab.me()))
      if (!message) return null
      const notBefore = simulation.network.clock.now() + UNDO_MS
      await tab.outbox.put({ kind: 'delete', id: random.uuid(), channel, message: message.id, notBefore })
      return `${tab.label} deletes “${message.body}”`
    },
  },
  reacts: {
    weight: 12,
    run: async ({ tab, random, channel, live }) => {
      const message = random.pick(live)
      const emoji = random.pick(EMOJI)
      if (!message || emoji === undefined) return null
      const on = !message.reactions.some((one) => one.emoji === emoji && one.mine === true)
      await tab.outbox.put({ kind: 'react', id: random.uuid(), channel, message: message.id, emoji, on })
      return `${tab.label} ${on ? 'puts' : 'removes'} ${emoji} ${on ? 'on' : 'from'} “${message.body}”`
    },
  },
  'undoes a deletion': {
    weight: 2,
    run: async ({ tab, random }) => {
      const deletion = random.pick(tab.outbox.mutations().filter((one) => one.kind === 'delete'))
      if (deletion?.kind !== 'delete') return null
      const undone = await tab.outbox.cancelDelete(deletion.message)
      return `${tab.label} undoes a deletion${undone ? '' : ', too late'}`
    },
  },
  'retries a refused message': {
    weight: 1.5,
    run: async ({ tab, random }) => {
      const item = random.pick(tab.outbox.items().filter((one) => one.state === 'failed'))
      if (!item) return null
      await tab.outbox.retry(item.id)
      return `${tab.label} retries “${item.body}”`
    },
  },
  'discards a pending message': {
    weight: 1.5,
    run: async ({ tab, random }) => {
      const item = random.pick(tab.outbox.items())
      if (!item) return null
      const taken = await tab.outbox.discard(item.id)
      if (taken?.kind === 'send') {
        const { browser } = tab
        browser.sentMessages = browser.sentMessages.filter((one) => one.id !== item.id)
        // A former leader may have sent the request already, and either of the two may arrive first.
        if (browser.tabs.length === 1) browser.discarded.push(item.id)
      }
      return `${tab.label} discards “${item.body}”${taken ? '' : ', too late'}`
    },
  },
  'saves a message': {
    weight: 3,
    run: async ({ tab, random, channel, live }) => {
      const message = random.pick(live)
      if (!message) return null
      const saved = random.pick(['saved', 'done', null] as const) ?? null
      await tab.outbox.put({ kind: 'saveMessage', id: random.uuid(), channel, message: message.id, saved })
      return `${tab.label} marks “${message.body}” as ${saved ?? 'not saved'}`
    },
  },
  'gets a response to a command': {
    weight: 2,
    run: async ({ simulation, tab, random, channel }) => {
      const profile = tab.store.get().me?.profile.id
      if (!profile) return null
      await simulation.database.addResponse(profile, channel, random.uuid())
      return `${tab.label} gets a response to a command`
    },
  },
  'sets a reminder on another device': {
    weight: 2,
    run: async ({ simulation, tab, random }) => {
      const { me, reminders } = tab.store.get()
      if (!me) return null
      const known = random.pick([null, ...reminders.keys()]) ?? null
      // Far from the maximum, which is not what is tested here.
      if (known === null && reminders.size >= 8) return null
      const state = known === null ? 'added' : random.happens(0.5) ? 'due' : 'deleted'
      await simulation.database.setReminder(me.profile.id, known ?? random.uuid(), state)
      return `a reminder of ${tab.label} is ${state}`
    },
  },
  'schedules a message on another device': {
    weight: 2,
    run: async ({ simulation, tab, random, channel }) => {
      const { me, scheduled } = tab.store.get()
      if (!me) return null
      const known = random.pick([null, ...scheduled.values()]) ?? null
      const isSent = known !== null && random.happens(0.5)
      // Far from the maximum, which is not what is tested here.
      if (known === null && scheduled.size >= 8) return null
      const body = isSent ? null : `Later ${random.uuid().slice(0, 4)}`
      const id = known?.id ?? random.uuid()
      await simulation.database.setScheduledMessage(me.profile.id, known?.channel_id ?? channel, id, body)
      return `${isSent ? 'the server sends' : 'another device schedules'} a message of ${tab.label}`
    },
  },
  'changes a saved search on another device': {
    weight: 2,
    run: async ({ simulation, tab, random }) => {
      const { me, searches } = tab.store.get()
      if (!me) return null
      const known = random.pick([null, ...searches.keys()]) ?? null
      const name = known === null || random.happens(0.5) ? `Search ${random.uuid().slice(0, 4)}` : null
      // Far from the maximum, which is not what is tested here.
      if (known === null && searches.size >= 8) return null
      await simulation.database.setSavedSearch(me.profile.id, known ?? random.uuid(), name)
      return `another device of ${tab.label} ${name === null ? 'deletes a saved search' : `saves “${name}”`}`
    },
  },
  'dismisses a response': {
    weight: 2,
    run: ({ tab, random }) => {
      const response = random.pick([...tab.store.get().responses.keys()])
      if (!response) return null
      tab.runAndApply('dismiss_response', { response })
      return `${tab.label} dismisses a response to a command`
    },
  },
  pins: {
    weight: 3,
    run: ({ tab, random, live }) => {
      const message = random.pick(live)
      if (!message) return null
      const on = message.pinned_at === null
      tab.runAndApply('pin_message', { message: message.id, on })
      return `${tab.label} ${on ? 'pins' : 'unpins'} “${message.body}”`
    },
  },
}
