import { i18n } from '@lingui/core'
import type { CSSProperties } from 'react'
import type { Attachment } from '../../../wire/files.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import styles from '../../features/parts/files/attachments/Attachments.module.css'
import {
  gridStyle,
  layoutOf,
  MAX_TILES,
  ownSize,
  splitByImage,
  tileLayout,
  type MediaLayout,
} from '../../features/parts/files/attachments/mediaLayout.ts'
import { cx } from '../../ui/cx.ts'
import { formatBytes } from '../../ui/formatBytes.ts'
import { createNode } from './createNode.ts'
import { loadWebPicture } from './fetchWebFile.ts'
import { openWebViewer } from './openWebViewer.ts'
import { renderDownload } from './renderDownload.ts'
import { runWhenVisible } from './runWhenVisible.ts'

/** The files of a message as in the messenger: a grid of pictures, then one row for each other file. */
export function renderWebFiles(files: readonly Attachment[], channel: Uuid): HTMLElement {
  const { images, others } = splitByImage(files)
  return createNode(
    'div',
    { class: styles.attachments },
    images.length > 0 ? renderGrid(images, channel) : null,
    others.map((file) => renderRow(file, channel)),
  )
}

function renderGrid(images: readonly Attachment[], channel: Uuid): HTMLElement {
  const shown = images.slice(0, MAX_TILES)
  const only = shown.length === 1 ? layoutOf(shown[0]!) : null
  const grid = createNode(
    'div',
    { class: styles.images },
    shown.map((file, index) =>
      renderPicture(file, channel, {
        layout: only ?? tileLayout(index, shown.length),
        covered: index === MAX_TILES - 1 ? images.length - index : 1,
        onShow: () => openWebViewer(images, index, channel),
      }),
    ),
  )
  if (!only) setStyle(grid, gridStyle(shown))
  return grid
}

function renderPicture(
  file: Attachment,
  channel: Uuid,
  { layout, covered, onShow }: { layout: MediaLayout; covered: number; onShow: () => void },
): HTMLElement {
  const { name } = file
  const label =
    covered > 1
      ? i18n._('{count, plural, one {Open # more image} other {Open # more images}}', { count: covered })
      : i18n._('Open image {name}', { name })
  const button = createNode('button', {
    type: 'button',
    class: styles.image,
    title: layout.named ? null : name,
  })
  setStyle(button, { aspectRatio: layout.ratio })
  const figure = createNode(
    'figure',
    { class: cx(styles.figure, !layout.named && styles.tile) },
    button,
    layout.named
      ? createNode(
          'figcaption',
          { class: styles.caption },
          createNode('bdi', { class: 'name' }, name),
          createNode('span', { class: styles.size }, formatBytes(file.size)),
        )
      : null,
  )
  setStyle(figure, layout.style)
  const cover =
    covered > 1 ? createNode('span', { class: styles.covered, 'aria-hidden': 'true' }, `+${covered}`) : ''
  let hasFailed = false
  const load = () => {
    hasFailed = false
    button.setAttribute('aria-label', label)
    button.replaceChildren(cover)
    loadWebPicture(file, channel, file.thumb ? 'thumb' : 'file')
      .then((image) => {
        setStyle(image, ownSize(file))
        button.replaceChildren(image, cover)
      })
      .catch(() => {
        hasFailed = true
        button.removeAttribute('aria-label')
        button.replaceChildren(
          createNode(
            'span',
            { class: styles.missing },
            i18n._('{name} couldn’t be loaded. Select to try again.', { name }),
          ),
        )
      })
  }
  button.addEventListener('click', () => (hasFailed ? load() : onShow()))
  runWhenVisible(figure, load)
  return figure
}

function renderRow(file: Attachment, channel: Uuid): HTMLElement {
  return createNode(
    'div',
    { class: styles.file },
    createNode(
      'span',
      { class: styles.details },
      createNode('bdi', { class: 'name' }, file.name),
      createNode('span', { class: styles.size }, formatBytes(file.size)),
    ),
    renderDownload(file, channel),
  )
}

/** Sets styles one by one: the page's policy permits no attribute `style`. Numbers of lengths are pixels, as in React. */
function setStyle(node: HTMLElement, style: CSSProperties): void {
  for (const [property, value] of Object.entries(style)) {
    if (value === undefined) continue
    const text = typeof value === 'number' && property !== 'aspectRatio' ? `${value}px` : String(value)
    Object.assign(node.style, { [property]: text })
  }
}
