/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i
/** Characters that file systems refuse, and characters that change the direction of text: "gpj.exe" can be displayed as "exe.jpg". */
const REFUSED = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff<>:"/\\|?*]/gu
const maxCharacters = 100

/** The name of a file as an archive has it: file systems accept it, and it keeps its extension. */
export function archiveName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(REFUSED, '_')
    .replace(/^\.+|[. ]+$/g, '_')
    .replace(DEVICE, '_$&')
  const [extension = ''] = /\.[\p{L}\p{N}_-]{1,12}$/u.exec(safe) ?? []
  const characters = Array.from(safe.slice(0, safe.length - extension.length))
  return `${characters.slice(0, maxCharacters).join('')}${extension}` || 'file'
}
