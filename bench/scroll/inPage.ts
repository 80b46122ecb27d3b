/**
 * What runs in the page that is measured, as text: this program knows no browser's types, and the page's policy takes
 * no script but its own. Evaluated, it leaves its functions at `globalThis.scrolling`.
 */
export const IN_PAGE = `globalThis.scrolling ??= (() => {
  const list = () => document.querySelector('[role=log]')
  const frame = () => new Promise(requestAnimationFrame)
  let probe = null

  /* How many thirds of the view have no row that can be seen. */
  function emptyThirds(area) {
    const box = area.getBoundingClientRect()
    const filled = new Set()
    for (const article of area.querySelectorAll('article')) {
      const row = article.getBoundingClientRect()
      if (row.bottom <= box.top || row.top >= box.bottom) continue
      if (!article.checkVisibility({ visibilityProperty: true })) continue
      for (const third of [0, 1, 2]) {
        const top = box.top + (box.height * third) / 3
        if (row.bottom > top && row.top < top + box.height / 3) filled.add(third)
      }
    }
    return 3 - filled.size
  }

  /* Looks at each frame: how long it took, and whether each third of the view has a row in it. */
  function startProbe() {
    const area = list()
    const mine = (probe = { frames: [], blanks: 0, looks: 0 })
    let before = null
    const look = (now) => {
      if (probe !== mine) return
      if (before !== null) mine.frames.push(now - before)
      before = now
      // Measured rows become visible between this and the paint: what was painted is looked at after it.
      painted.port2.postMessage(null)
      requestAnimationFrame(look)
    }
    const painted = new MessageChannel()
    painted.port1.onmessage = () => {
      mine.looks += 1
      if (emptyThirds(area) > 0) mine.blanks += 1
    }
    requestAnimationFrame(look)
  }

  function stopProbe() {
    const seen = probe
    probe = null
    return seen
  }

  /* The rows as they stand in the page, gathered while scrolling up. */
  async function keepRows(wanted) {
    const area = list()
    const kept = new Map()
    while (kept.size < wanted) {
      for (const article of area.querySelectorAll('article')) {
        if (!kept.has(article.id)) kept.set(article.id, article.parentElement.outerHTML)
      }
      area.scrollTop -= area.clientHeight / 2
      await frame()
    }
    return [...kept.values()]
  }

  /* Shows these rows in the page's styles and in a box as high as the list's, without any script. */
  function showStatic(rows, height) {
    const area = document.createElement('div')
    area.setAttribute('role', 'log')
    area.style.cssText = 'margin-left: 264px; overflow-y: auto; contain: strict; height: ' + height + 'px'
    const parsed = new DOMParser().parseFromString('<div>' + rows.join('') + '</div>', 'text/html')
    area.append(...parsed.body.childNodes)
    document.body.replaceChildren(area)
    area.scrollTop = area.scrollHeight
  }

  /* Scrolls up by most of a view a frame, past so many messages or to the first; answers how many went by. */
  async function walkUp(count) {
    const area = list()
    let before = new Set()
    let passed = 0
    let stuck = 0
    while (passed < count) {
      const ids = new Set([...area.querySelectorAll('article')].map((article) => article.id))
      const came = [...ids].filter((id) => !before.has(id)).length
      passed += came
      before = ids
      stuck = came > 0 ? 0 : stuck + 1
      if (area.scrollTop <= 0 && area.querySelector('h2')) break
      if (stuck > 1200) throw new Error('No older messages come after ' + passed + '.')
      /* After the paint, as a touch does: the list receives the scroll event before the next one. */
      await frame()
      await new Promise((go) => setTimeout(go))
      area.scrollTop -= area.clientHeight * 0.8
    }
    return passed
  }

  return { startProbe, stopProbe, keepRows, showStatic, walkUp, height: () => list().clientHeight }
})()`

/** What was seen of a list while it scrolled. */
export interface Frames {
  /** Milliseconds between frames, in order. */
  frames: number[]
  /** How often a third of the view had no row in it, and in how many looks. */
  blanks: number
  looks: number
}

/** The value below which this part of the numbers lies; 0 of none. */
export function percentile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}
