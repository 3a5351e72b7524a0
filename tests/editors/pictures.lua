-- How Neovim looks in the pictures of docs/editing.md: the language server, its problems beside the lines, and quiet colors.

vim.o.termguicolors = true
vim.o.background = "dark"
vim.o.number = true
vim.o.numberwidth = 4
vim.o.signcolumn = "yes"
vim.o.laststatus = 0
vim.o.ruler = false
vim.o.showcmd = false
vim.o.showmode = false
vim.o.wrap = false
vim.o.hlsearch = false
vim.o.shortmess = vim.o.shortmess .. "IFcs"
vim.o.completeopt = "menuone,noinsert"
vim.o.pumheight = 9
vim.o.fillchars = "eob: "
vim.cmd("syntax on")

local colors = {
  Normal = "guifg=#DDE3E0 guibg=#0E1412",
  LineNr = "guifg=#4E5854 guibg=#0E1412",
  SignColumn = "guibg=#0E1412",
  NonText = "guifg=#0E1412",
  Comment = "guifg=#7C8883 gui=NONE",
  Identifier = "guifg=#9DEB6C gui=NONE",
  yamlBlockMappingKey = "guifg=#9DEB6C",
  yamlFlowMappingKey = "guifg=#9DEB6C",
  String = "guifg=#F3F5F5",
  Special = "guifg=#A9B4AF gui=NONE",
  Statement = "guifg=#A9B4AF gui=NONE",
  Pmenu = "guifg=#DDE3E0 guibg=#25302C",
  PmenuSel = "guifg=#0E1412 guibg=#F0FF64",
  PmenuSbar = "guibg=#25302C",
  PmenuThumb = "guibg=#4E5854",
  NormalFloat = "guifg=#F3F5F5 guibg=#25302C",
  FloatBorder = "guifg=#4E5854 guibg=#25302C",
  DiagnosticError = "guifg=#FF9C93",
  DiagnosticWarn = "guifg=#F0FF64",
  DiagnosticUnderlineError = "gui=undercurl guisp=#FF9C93",
  DiagnosticUnderlineWarn = "gui=undercurl guisp=#F0FF64",
}
for name, color in pairs(colors) do
  vim.cmd("highlight clear " .. name)
  vim.cmd("highlight " .. name .. " " .. color)
end
vim.diagnostic.config({ virtual_text = { prefix = "●", spacing = 2 }, update_in_insert = true })

local id = vim.lsp.start_client({ name = "sitegen", cmd = { vim.env.SITEGEN_PROGRAM, "lsp" }, root_dir = vim.env.SITEGEN_SITE })
vim.api.nvim_create_autocmd("FileType", {
  pattern = { "yaml", "markdown" },
  callback = function(event)
    vim.lsp.buf_attach_client(event.buf, id)
    vim.bo[event.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
  end,
})
