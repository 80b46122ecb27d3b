import { droppedFiles } from '../../../../data/files/upload/droppedFiles.ts'

interface Handlers {
  /** Files are dragged over the pane, or no longer. */
  onOver: (over: boolean) => void
  onFiles: (files: File[]) => void
}

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false

/** Accepts files that are dropped or pasted anywhere on a pane. Returns the function that stops it. */
export function watchDroppedFiles(pane: HTMLElement, { onOver, onFiles }: Handlers): () => void {
  const abort = new AbortController()
  const { signal } = abort
  pane.addEventListener(
    'dragover',
    (event) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      onOver(true)
    },
    { signal },
  )
  pane.addEventListener(
    'dragleave',
    (event) => {
      if (!(event.relatedTarget instanceof Node) || !pane.contains(event.relatedTarget)) onOver(false)
    },
    { signal },
  )
  pane.addEventListener(
    'drop',
    (event) => {
      if (!event.dataTransfer || !hasFiles(event)) return
      event.preventDefault()
      onOver(false)
      void droppedFiles(event.dataTransfer).then(onFiles)
    },
    { signal },
  )
  pane.addEventListener(
    'paste',
    (event) => {
      const files = [...(event.clipboardData?.files ?? [])]
      // Cells copied from a spreadsheet come as text and as an image of it: the text is used.
      if (files.length === 0 || event.clipboardData?.getData('text/plain')) return
      event.preventDefault()
      onFiles(files)
    },
    { signal },
  )
  // Dropped beside the pane, the file would be opened by the browser in place of Linnet.
  window.addEventListener(
    'dragover',
    (event) => {
      if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    },
    { signal },
  )
  return () => abort.abort()
}
