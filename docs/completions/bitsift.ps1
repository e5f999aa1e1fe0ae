# Completion of bitsift for PowerShell. Made by `bitsift --generate powershell`; do not edit.

Register-ArgumentCompleter -Native -CommandName 'bitsift' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $summaries = @(
@summaries@
    )
    $options = @{
@options@
    }
    $before = @($commandAst.CommandElements |
            Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
            ForEach-Object { $_.Extent.Text })
    $choices = @()
    if ($before.Count -eq 1) {
        $choices = $summaries
    } elseif ($wordToComplete.StartsWith('-') -and $before -cnotcontains '--') {
        $choices = $options[$before[1]]
    }
    # Without a choice, PowerShell completes file names.
    $choices | Where-Object { $_ -and $_[0].StartsWith($wordToComplete) } | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
    }
}
