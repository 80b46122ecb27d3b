import { nameOf } from './doing.ts'
import type { Deeds } from './doing.ts'

export const belonging: Deeds = {
  adds: {
    often: 3,
    deed: (doing) => {
      const { tab, chance, channel, people } = doing
      const who = chance.pick(people)?.profile
      if (!who) return null
      tab.change('add_members', { channel, people: [who.id] })
      return `${tab.label} adds ${who.name} to ${nameOf(doing)}`
    },
  },
  removes: {
    often: 2,
    deed: (doing) => {
      const { tab, chance, channel, people } = doing
      const who = chance.pick(people)?.profile
      if (!who) return null
      tab.change('remove_member', { channel, person: who.id })
      return `${tab.label} removes ${who.name} from ${nameOf(doing)}`
    },
  },
  joins: {
    often: 3,
    deed: ({ scene, tab, chance }) => {
      const channel = chance.pick(Object.values(scene.home.channels))
      if (channel === undefined) return null
      tab.change('join_channel', { channel })
      return `${tab.label} joins ${nameOf({ rows: tab.store.get().channels.get(channel), channel })}`
    },
  },
  leaves: {
    often: 2,
    deed: (doing) => {
      doing.tab.change('leave_channel', { channel: doing.channel })
      return `${doing.tab.label} leaves ${nameOf(doing)}`
    },
  },
  'opens a conversation': {
    often: 2,
    deed: ({ scene, tab, chance, people }) => {
      const who = [chance.pick(people), chance.happens(0.3) ? chance.pick(people) : undefined]
      const profiles = who.flatMap((one) => (one ? [one.profile] : []))
      const { workspace } = scene.home
      tab.change('open_direct', { workspace, people: profiles.map((one) => one.id) })
      return `${tab.label} opens a conversation with ${profiles.map((one) => one.name).join(' and ')}`
    },
  },
  'shares out the care': {
    often: 1,
    deed: (doing) => {
      const { tab, chance, channel, people } = doing
      const who = chance.pick(people)?.profile
      if (!who) return null
      const role = chance.happens(0.7) ? 'admin' : 'member'
      tab.change('set_channel_role', { channel, person: who.id, role })
      return `${tab.label} makes ${who.name} ${role} of ${nameOf(doing)}`
    },
  },
  deactivates: {
    often: 0.4,
    deed: ({ scene, tab, chance, people }) => {
      const who = chance.pick(people)?.profile
      if (!who || tab.store.get().me?.role !== 'owner') return null
      tab.change('deactivate_member', { workspace: scene.home.workspace, person: who.id })
      return `${tab.label} deactivates ${who.name}`
    },
  },
  // Omar for the first time, later whoever was shut out.
  'comes in by letter': {
    often: 1.5,
    deed: async ({ scene, tab, chance }) => {
      if (tab.me() !== null) return null
      const { person } = tab.browser
      const { lobby, closed, side } = scene.home.channels
      const channels = chance.happens(0.5) ? [lobby] : [side, closed]
      const outcome = await scene.home.bring(person, person.name === 'gus' ? 'guest' : 'member', channels)
      // The other tabs receive it without a reload.
      tab.engine.refresh()
      await scene.network.spread()
      return `${person.name} comes in by letter${outcome.ok ? '' : `: ${outcome.failure.name}`}`
    },
  },
}
