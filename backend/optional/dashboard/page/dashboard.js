// Copy buttons, local times, and the log stream.
const status = document.getElementById('status')

function makeElement(tag, name, text) {
  const element = document.createElement(tag)
  element.className = name
  element.textContent = text
  return element
}

const minute = { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' }
const thisYear = new Intl.DateTimeFormat(undefined, minute)
const anyYear = new Intl.DateTimeFormat(undefined, { ...minute, year: 'numeric' })
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})

function renderTime(element) {
  const date = new Date(element.dateTime)
  const day = date.getFullYear() === new Date().getFullYear() ? thisYear : anyYear
  element.textContent = ('clock' in element.dataset ? clock : day).format(date)
  element.title = element.dateTime
}
document.querySelectorAll('time').forEach(renderTime)

for (const button of document.querySelectorAll('[data-copy]')) {
  const first = button.firstChild
  button.hidden = false
  button.addEventListener('click', async () => {
    let done = 'Copied'
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
    } catch {
      // Without permission for the clipboard the text is selected, so that the user can copy it.
      done = 'Press Ctrl or ⌘ and C'
      getSelection().selectAllChildren(button.previousElementSibling)
    }
    first.textContent = done
    status.textContent = done
    setTimeout(() => {
      first.textContent = 'Copy'
      status.textContent = ''
    }, 2000)
  })
}

document.querySelector('header [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })

const form = document.getElementById('log-filter')
if (form) followLog()

function followLog() {
  const list = document.getElementById('log')
  const empty = document.getElementById('log-empty')
  const state = document.getElementById('log-state')
  const pause = document.getElementById('pause')
  const maxLines = 500
  let source = null

  const renderLine = (line) => {
    const item = makeElement('li', line.level, '')
    const time = makeElement('time', '', '')
    time.dateTime = line.time
    time.dataset.clock = ''
    renderTime(time)
    item.append(
      time,
      makeElement('span', 'level', line.level),
      makeElement('span', 'part', line.part),
      makeElement('span', 'text', line.text),
    )
    return item
  }

  const follow = () => {
    source?.close()
    const query = new URLSearchParams(new FormData(form))
    history.replaceState(null, '', `${form.action}?${query}`)
    source = new EventSource(`${form.dataset.stream}?${query}`)
    source.addEventListener('start', ({ data }) => {
      list.replaceChildren(...JSON.parse(data).map(renderLine))
      empty.hidden = list.firstChild !== null
      state.textContent = 'Newest first, live.'
    })
    source.addEventListener('lines', ({ data }) => {
      list.prepend(...JSON.parse(data).reverse().map(renderLine))
      while (list.children.length > maxLines) list.lastChild.remove()
      empty.hidden = true
    })
    source.addEventListener('lost', ({ data }) => {
      state.textContent = `Newest first, live. ${data} lines were just left out, as there were too many.`
    })
    source.addEventListener('error', () => {
      state.textContent =
        source.readyState === EventSource.CLOSED
          ? 'The server closed the stream. Reload the page to try again.'
          : 'The server does not respond. Reconnecting…'
    })
  }

  const setPaused = (paused) => {
    pause.textContent = paused ? 'Resume' : 'Pause'
    if (!paused) return follow()
    source.close()
    state.textContent = 'Paused. “Resume” shows the lines since then.'
  }

  form.querySelector('.still').hidden = true
  pause.hidden = false
  pause.addEventListener('click', () => setPaused(pause.textContent === 'Pause'))
  let later = 0
  form.addEventListener('input', () => {
    clearTimeout(later)
    later = setTimeout(() => setPaused(false), 200)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    setPaused(false)
  })
  follow()
}
