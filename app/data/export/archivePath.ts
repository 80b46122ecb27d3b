/** Where a file is in the archive: its name without what file systems refuse, below its id, which is unique. */
export function archivePath(id: string, name: string): string {
  const safe = name.replaceAll(/[\p{Cc}<>:"/\\|?*]/gu, '_').replace(/^\.+|[. ]+$/g, '_')
  return `files/${id}/${safe.slice(0, 120) || 'file'}`
}
