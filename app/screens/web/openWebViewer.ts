import { i18n } from '@lingui/core'
import type { Attachment } from '../../../wire/files.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createNode } from './createNode.ts'
import { loadWebPicture } from './fetchWebFile.ts'
import { renderDownload } from './renderDownload.ts'

/** Opens the pictures of a message in a dialog, beginning with the one at `first`. */
export function openWebViewer(images: readonly Attachment[], first: number, channel: Uuid): void {
  let at = first
  const head = createNode('header', {})
  const content = createNode('div', { class: 'picture' })
  const close = createNode('button', { type: 'button', class: 'action' }, i18n._('Close'))
  const previous = createNode(
    'button',
    { type: 'button', class: 'action', 'aria-label': i18n._('Previous file') },
    '‹',
  )
  const next = createNode(
    'button',
    { type: 'button', class: 'action', 'aria-label': i18n._('Next file') },
    '›',
  )
  const count = createNode('span', { 'aria-live': 'polite' })
  const viewer = createNode(
    'dialog',
    { class: 'viewer' },
    head,
    content,
    images.length > 1 ? createNode('footer', {}, previous, count, next) : null,
  ) as HTMLDialogElement

  async function show(index: number): Promise<void> {
    at = (index + images.length) % images.length
    const file = images[at]!
    const { name } = file
    viewer.setAttribute('aria-label', name)
    count.textContent = i18n._('{at} of {count}', { at: at + 1, count: images.length })
    head.replaceChildren(createNode('bdi', { class: 'name' }, name), renderDownload(file, channel), close)
    content.replaceChildren(i18n._('Loading…'))
    const shown = await loadWebPicture(file, channel, 'file').catch(() =>
      createNode('p', { role: 'alert' }, i18n._('This image couldn’t be loaded.')),
    )
    if (images[at] === file) content.replaceChildren(shown)
  }

  close.addEventListener('click', () => viewer.close())
  previous.addEventListener('click', () => void show(at - 1))
  next.addEventListener('click', () => void show(at + 1))
  viewer.addEventListener('keydown', ({ key }) => {
    if (images.length === 1) return
    const isForward = getComputedStyle(viewer).direction === 'ltr'
    if (key === 'ArrowLeft') void show(at + (isForward ? -1 : 1))
    if (key === 'ArrowRight') void show(at + (isForward ? 1 : -1))
  })
  viewer.addEventListener('click', ({ target }) => {
    if (target === viewer || target === content) viewer.close()
  })
  // The browser returns the focus to the picture that was selected.
  viewer.addEventListener('close', () => viewer.remove())
  document.body.append(viewer)
  viewer.showModal()
  close.focus()
  void show(first)
}
