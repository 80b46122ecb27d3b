import type { ActionTable } from './actionContext.ts'

/** Faults of tabs, the network and the server. */
export const faultActions: ActionTable = {
  'loses the network': {
    weight: 3,
    run: ({ simulation, tab: { device, label } }) => {
      device.requestsArrive = false
      device.responsesArrive = false
      simulation.network.disconnect(device)
      return `${label} loses the network`
    },
  },
  'loses a part of the network': {
    weight: 2,
    run: ({ simulation, tab: { device, label }, random }) => {
      const fault = random.below(4)
      if (fault === 0) device.requestsArrive = false
      else if (fault === 1) device.responsesArrive = false
      else if (fault === 2) simulation.network.disconnect(device)
      else device.messagesArrive = false
      return `${label} ${['sends no requests', 'gets no responses', 'loses the socket', 'receives no messages'][fault]}`
    },
  },
  'is back on the network': {
    weight: 6,
    run: ({ simulation, tab: { device, label } }) => {
      if (device.requestsArrive && device.responsesArrive && device.socket && device.messagesArrive)
        return null
      simulation.network.heal(device)
      return `${label} is back on the network`
    },
  },
  'is suspended': {
    weight: 2,
    run: ({ tab }) => {
      if (tab.device.asleep) return null
      tab.saveCache()
      tab.device.asleep = true
      return `${tab.label} is suspended`
    },
  },
  resumes: {
    weight: 4,
    run: async ({ simulation, random }) => {
      const tab = random.pick(simulation.tabs().filter((one) => one.device.asleep))
      if (!tab) return null
      tab.device.asleep = false
      await simulation.network.clock.advance(0)
      if (random.happens(0.7)) tab.engine.sendHeartbeat()
      return `${tab.label} resumes`
    },
  },
  reloads: {
    weight: 2,
    run: ({ simulation, tab, random }) => {
      const { browser, leads } = tab
      // A crash saves nothing, and announces nothing to other tabs.
      const crashed = random.happens(0.3)
      const emptied = random.happens(0.2)
      simulation.closeTab(tab, !crashed)
      if (emptied) browser.clearCache()
      const next = simulation.openTab(browser)
      if (leads && random.happens(0.5)) browser.elect(next)
      return `${tab.label} ${crashed ? 'crashes and reloads' : 'reloads'}${emptied ? ' with an emptied cache' : ''}`
    },
  },
  'becomes leader': {
    weight: 2,
    run: ({ tab }) => {
      if (tab.leads) return null
      tab.browser.elect(tab)
      return `${tab.label} becomes leader`
    },
  },
  'opens or closes a tab': {
    weight: 1,
    run: ({ simulation, tab, random }) => {
      const { browser } = tab
      if (browser.tabs.length < 2) return `${simulation.openTab(browser).label} is opened`
      simulation.closeTab(tab, random.happens(0.7))
      return `${tab.label} is closed`
    },
  },
  'session ends': {
    weight: 0.5,
    run: async ({ simulation, tab }) => {
      await simulation.database.endSession(tab.browser.caller)
      const { caller } = tab.browser
      await simulation.network.recheck((device) => device.caller() === caller)
      return `the session of ${tab.browser.label} is ended elsewhere`
    },
  },
  'signs in again': {
    weight: 2,
    run: async ({ simulation, random }) => {
      const browser = random.pick(simulation.browsers.filter((one) => one.tabs.length === 0))
      if (!browser) return null
      await simulation.signIn(browser)
      return `${browser.label} signs in again`
    },
  },
  'realtime restarts': {
    weight: 0.5,
    run: ({ simulation }) => {
      simulation.network.restart()
      return 'the realtime service restarts'
    },
  },
  'the server restarts': {
    weight: 0.5,
    run: async ({ simulation, random }) => {
      await simulation.network.requests.failAll(random)
      simulation.network.restart()
      return 'the server restarts'
    },
  },
  'PostgreSQL is killed': {
    weight: 0.05,
    run: async ({ simulation }) => {
      const working = simulation.network.requests.executeAll()
      await simulation.database.killPostgres()
      await working
      simulation.network.restart()
      await simulation.network.publish()
      return 'PostgreSQL is killed and comes back'
    },
  },
  'a snapshot is saved': {
    weight: 0.3,
    run: async ({ simulation }) => {
      await simulation.saveSnapshot()
      return 'a snapshot of the database is saved'
    },
  },
  'the snapshot is restored': {
    weight: 0.2,
    run: async ({ simulation, random }) => {
      if (!(await simulation.restoreSnapshot(random))) return null
      return 'the database is restored from its snapshot'
    },
  },
}
