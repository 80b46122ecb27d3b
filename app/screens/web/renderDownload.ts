import { i18n } from '@lingui/core'
import type { Attachment } from '../../../wire/files.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import { createNode } from './createNode.ts'
import { saveWebFile } from './fetchWebFile.ts'

/** A button that downloads a file, and shows that it does or that it could not. */
export function renderDownload(file: Attachment, channel: Uuid): HTMLElement {
  const label = i18n._('Download {name}', { name: file.name })
  const button = createNode(
    'button',
    { type: 'button', class: 'action', 'aria-label': label },
    i18n._('Download'),
  ) as HTMLButtonElement
  const failure = createNode('span', { role: 'alert', class: 'small' })
  button.addEventListener('click', () => {
    button.disabled = true
    button.textContent = i18n._('Loading…')
    failure.textContent = ''
    saveWebFile(file, channel)
      .catch(() => {
        failure.textContent = i18n._('This file couldn’t be loaded.')
      })
      .finally(() => {
        button.disabled = false
        button.textContent = i18n._('Download')
      })
  })
  return createNode('span', { class: 'download' }, failure, button)
}
