/**
 * What runs in the page that is measured, as text: this program knows no browser's types, and the page's policy takes
 * no script but its own. Evaluated, it leaves its functions at `globalThis.browsing`. Times are milliseconds.
 */
export const IN_PAGE = `globalThis.browsing ??= (() => {
  const now = () => performance.timeOrigin + performance.now()
  const frame = () => new Promise(requestAnimationFrame)
  /* Past the frame in which something stands: a task after it runs when it was drawn. */
  const drawn = async () => {
    await frame()
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(null)
    })
  }
  const rows = (label) => document.querySelector('[role=log][aria-label="' + label + '"] article')

  /* Clicks a channel in the side and waits until rows of it are drawn. */
  async function switchTo(id, label) {
    const start = performance.now()
    document.querySelector('nav a[href="/c/' + id + '"], a[href="/c/' + id + '"]').click()
    while (rows(label) === null) await frame()
    await drawn()
    return performance.now() - start
  }

  /* When these words stand in the list and are drawn. */
  async function seen(words) {
    const stands = () => [...document.querySelectorAll('[role=log] article')].some((row) => row.textContent.includes(words))
    while (!stands()) await frame()
    await drawn()
    return now()
  }

  /* From the next Enter: when it was pressed, how many frames later its words stand, and when they were drawn. */
  let asked = null
  function watchEcho(words) {
    asked = new Promise((resolve) => {
      addEventListener('keydown', async ({ key, timeStamp }) => {
        if (key !== 'Enter') return
        const pressed = performance.timeOrigin + timeStamp
        let frames = 0
        const stands = () => [...document.querySelectorAll('[role=log] article')].some((row) => row.textContent.includes(words))
        for (;;) {
          await frame()
          frames += 1
          await Promise.resolve()
          if (stands()) break
        }
        await drawn()
        resolve({ pressed, frames, drawn: now() })
      }, { once: true, capture: true })
    })
  }

  /* Adds a list of texts and waits until it is drawn. */
  async function showList(texts) {
    const start = performance.now()
    const list = document.createElement('ul')
    for (const text of texts) list.append(Object.assign(document.createElement('li'), { textContent: text }))
    list.style.cssText = 'position: fixed; inset: 0; overflow: auto; white-space: pre-wrap; background: white'
    document.body.append(list)
    await drawn()
    const time = performance.now() - start
    list.remove()
    return time
  }

  return { showList, switchTo, seen, watchEcho, echo: () => asked }
})()`
