import { channelLabel } from './actionContext.ts'
import type { ActionTable } from './actionContext.ts'

export const membershipActions: ActionTable = {
  adds: {
    weight: 3,
    run: (context) => {
      const { tab, random, channel, people } = context
      const who = random.pick(people)?.profile
      if (!who) return null
      tab.runAndApply('add_members', { channel, people: [who.id] })
      return `${tab.label} adds ${who.name} to ${channelLabel(context)}`
    },
  },
  removes: {
    weight: 2,
    run: (context) => {
      const { tab, random, channel, people } = context
      const who = random.pick(people)?.profile
      if (!who) return null
      tab.runAndApply('remove_member', { channel, person: who.id })
      return `${tab.label} removes ${who.name} from ${channelLabel(context)}`
    },
  },
  joins: {
    weight: 3,
    run: ({ simulation, tab, random }) => {
      const channel = random.pick(Object.values(simulation.database.channels))
      if (channel === undefined) return null
      tab.runAndApply('join_channel', { channel })
      return `${tab.label} joins ${channelLabel({ rows: tab.store.get().channels.get(channel), channel })}`
    },
  },
  leaves: {
    weight: 2,
    run: (context) => {
      context.tab.runAndApply('leave_channel', { channel: context.channel })
      return `${context.tab.label} leaves ${channelLabel(context)}`
    },
  },
  'opens a conversation': {
    weight: 2,
    run: ({ simulation, tab, random, people }) => {
      const who = [random.pick(people), random.happens(0.3) ? random.pick(people) : undefined]
      const profiles = who.flatMap((one) => (one ? [one.profile] : []))
      const { workspace } = simulation.database
      tab.runAndApply('open_direct', { workspace, people: profiles.map((one) => one.id) })
      return `${tab.label} opens a conversation with ${profiles.map((one) => one.name).join(' and ')}`
    },
  },
  'sets a channel role': {
    weight: 1,
    run: (context) => {
      const { tab, random, channel, people } = context
      const who = random.pick(people)?.profile
      if (!who) return null
      const role = random.happens(0.7) ? 'admin' : 'member'
      tab.runAndApply('set_channel_role', { channel, person: who.id, role })
      return `${tab.label} makes ${who.name} ${role} of ${channelLabel(context)}`
    },
  },
  deactivates: {
    weight: 0.4,
    run: ({ simulation, tab, random, people }) => {
      const who = random.pick(people)?.profile
      if (!who || tab.store.get().me?.role !== 'owner') return null
      tab.runAndApply('deactivate_member', { workspace: simulation.database.workspace, person: who.id })
      return `${tab.label} deactivates ${who.name}`
    },
  },
  // Omar, who starts without a workspace, and everybody who was deactivated.
  'accepts an invitation': {
    weight: 1.5,
    run: async ({ simulation, tab, random }) => {
      if (tab.me() !== null) return null
      const { person } = tab.browser
      const { lobby, closed, side } = simulation.database.channels
      const channels = random.happens(0.5) ? [lobby] : [side, closed]
      const outcome = await simulation.database.invite(
        person,
        person.name === 'gus' ? 'guest' : 'member',
        channels,
      )
      // The other tabs receive it without a reload.
      tab.engine.refresh()
      await simulation.network.publish()
      return `${person.name} accepts an invitation${outcome.ok ? '' : `: ${outcome.failure.name}`}`
    },
  },
}
