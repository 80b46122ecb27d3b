import type { Deeds } from './doing.ts'

/** What befalls tabs, the way and the home. */
export const faults: Deeds = {
  'loses the network': {
    often: 3,
    deed: ({ scene, tab: { device, label } }) => {
      device.asks = false
      device.isAnswered = false
      scene.network.cut(device)
      return `${label} loses the network`
    },
  },
  'loses a part of the network': {
    often: 2,
    deed: ({ scene, tab: { device, label }, chance }) => {
      const turn = chance.below(4)
      if (turn === 0) device.asks = false
      else if (turn === 1) device.isAnswered = false
      else if (turn === 2) scene.network.cut(device)
      else device.hears = false
      return `${label} ${['asks in vain', 'gets no answers', 'loses the socket', 'hears nothing'][turn]}`
    },
  },
  'is back on the network': {
    often: 6,
    deed: ({ scene, tab: { device, label } }) => {
      if (device.asks && device.isAnswered && device.socket && device.hears) return null
      scene.network.heal(device)
      return `${label} is back on the network`
    },
  },
  'falls asleep': {
    often: 2,
    deed: ({ tab }) => {
      if (tab.device.asleep) return null
      tab.keep()
      tab.device.asleep = true
      return `${tab.label} falls asleep`
    },
  },
  wakes: {
    often: 4,
    deed: async ({ scene, chance }) => {
      const tab = chance.pick(scene.tabs().filter((one) => one.device.asleep))
      if (!tab) return null
      tab.device.asleep = false
      await scene.network.clock.pass(0)
      if (chance.happens(0.7)) tab.engine.beat()
      return `${tab.label} wakes`
    },
  },
  reloads: {
    often: 2,
    deed: ({ scene, tab, chance }) => {
      const { browser, leads } = tab
      // A crash keeps nothing of the last moments, and says nothing to its sisters.
      const crashed = chance.happens(0.3)
      const emptied = chance.happens(0.2)
      scene.closeTab(tab, !crashed)
      if (emptied) browser.forgetWords()
      const next = scene.openTab(browser)
      if (leads && chance.happens(0.5)) browser.lead(next)
      return `${tab.label} ${crashed ? 'crashes and reloads' : 'reloads'}${emptied ? ' with an emptied cache' : ''}`
    },
  },
  'takes the lead': {
    often: 2,
    deed: ({ tab }) => {
      if (tab.leads) return null
      tab.browser.lead(tab)
      return `${tab.label} takes the lead`
    },
  },
  'opens or closes a tab': {
    often: 1,
    deed: ({ scene, tab, chance }) => {
      const { browser } = tab
      if (browser.tabs.length < 2) return `${scene.openTab(browser).label} is opened`
      scene.closeTab(tab, chance.happens(0.7))
      return `${tab.label} is closed`
    },
  },
  'session ends': {
    often: 0.5,
    deed: async ({ scene, tab }) => {
      await scene.home.endSession(tab.browser.caller)
      const { caller } = tab.browser
      await scene.network.recheck((device) => device.caller() === caller)
      return `the session of ${tab.browser.label} is ended elsewhere`
    },
  },
  'signs in again': {
    often: 2,
    deed: async ({ scene, chance }) => {
      const browser = chance.pick(scene.browsers.filter((one) => one.tabs.length === 0))
      if (!browser) return null
      await scene.signIn(browser)
      return `${browser.label} signs in again`
    },
  },
  'realtime restarts': {
    often: 0.5,
    deed: ({ scene }) => {
      scene.network.restart()
      return 'the realtime service restarts'
    },
  },
  'the server restarts': {
    often: 0.5,
    deed: async ({ scene, chance }) => {
      await scene.network.requests.cutAll(chance)
      scene.network.restart()
      return 'the server restarts'
    },
  },
  'PostgreSQL is killed': {
    often: 0.05,
    deed: async ({ scene }) => {
      const working = scene.network.requests.workAll()
      await scene.home.kill()
      await working
      scene.network.restart()
      await scene.network.spread()
      return 'PostgreSQL is killed and comes back'
    },
  },
  'a copy is made': {
    often: 0.3,
    deed: async ({ scene }) => {
      await scene.keepCopy()
      return 'a copy of the home is made'
    },
  },
  'the home is restored': {
    often: 0.2,
    deed: async ({ scene, chance }) => {
      if (!(await scene.restoreCopy(chance))) return null
      return 'the home is restored from its copy'
    },
  },
}
