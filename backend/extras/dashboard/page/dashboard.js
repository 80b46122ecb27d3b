// What the page can't do by itself: copy, tell times as they are here, and keep the log growing.
const said = document.getElementById('said')

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

function tellTime(element) {
  const date = new Date(element.dateTime)
  const day = date.getFullYear() === new Date().getFullYear() ? thisYear : anyYear
  element.textContent = ('clock' in element.dataset ? clock : day).format(date)
  element.title = element.dateTime
}
document.querySelectorAll('time').forEach(tellTime)

for (const button of document.querySelectorAll('[data-copy]')) {
  const first = button.firstChild
  button.hidden = false
  button.addEventListener('click', async () => {
    let done = 'Copied'
    try {
      await navigator.clipboard.writeText(button.dataset.copy)
    } catch {
      // Without the right to the clipboard the text is selected, so that a key press copies it.
      done = 'Press Ctrl or ⌘ and C'
      getSelection().selectAllChildren(button.previousElementSibling)
    }
    first.textContent = done
    said.textContent = done
    setTimeout(() => {
      first.textContent = 'Copy'
      said.textContent = ''
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
  const most = 500
  let source = null

  const renderLine = (line) => {
    const item = makeElement('li', line.level, '')
    const time = makeElement('time', '', '')
    time.dateTime = line.time
    time.dataset.clock = ''
    tellTime(time)
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
      state.textContent = 'Newest first, as it happens.'
    })
    source.addEventListener('lines', ({ data }) => {
      list.prepend(...JSON.parse(data).reverse().map(renderLine))
      while (list.children.length > most) list.lastChild.remove()
      empty.hidden = true
    })
    source.addEventListener('lost', ({ data }) => {
      state.textContent = `Newest first, as it happens. It goes too fast: ${data} lines were left out just now.`
    })
    source.addEventListener('error', () => {
      state.textContent =
        source.readyState === EventSource.CLOSED
          ? 'The server refused to tell more. Reload the page to try again.'
          : 'The server does not answer. The page asks again by itself.'
    })
  }

  const setPaused = (paused) => {
    pause.textContent = paused ? 'Go on' : 'Pause'
    if (!paused) return follow()
    source.close()
    state.textContent = 'Paused. Nothing is lost: “Go on” shows what came since.'
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
